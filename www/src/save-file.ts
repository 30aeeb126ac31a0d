// Hands bytes to the browser as a download.

let address: string | null = null;

export function saveFile(name: string, bytes: Uint8Array): void {
  // Nothing tells when a download has been read, so its blob is released at the next one.
  if (address !== null) URL.revokeObjectURL(address);
  // A copy, since a blob does not take views of memory that might be shared.
  address = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: 'application/vnd.sqlite3' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = /\.[A-Za-z0-9]+$/.test(name) ? name : `${name}.sqlite`;
  link.click();
}
