// Numbers, sizes and times as people read them.

// One locale, the page's own: figures beside English words, the same wherever the page is opened.
const grouped = new Intl.NumberFormat('en');

export const count = (value: number | bigint): string => grouped.format(value);

export const plural = (value: number | bigint, noun: string): string =>
  `${count(value)} ${noun}${Number(value) === 1 ? '' : 's'}`;

export function bytes(value: number): string {
  if (value < 1024) return `${count(value)} B`;
  const units = ['KiB', 'MiB', 'GiB'];
  let scaled = value / 1024;
  let unit = 0;
  while (scaled >= 1024 && unit < units.length - 1) {
    scaled /= 1024;
    unit += 1;
  }
  return `${scaled < 10 ? scaled.toFixed(1).replace(/\.0$/, '') : count(Math.round(scaled))} ${units[unit]}`;
}

export function duration(milliseconds: number): string {
  if (milliseconds < 0.1) return '< 0.1 ms';
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

/** A REAL without the noise of its last binary digits, and always recognisable as a REAL. */
export function real(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf';
  const text = String(Number(value.toPrecision(12)));
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

export function hex(value: Uint8Array, limit: number): string {
  const digits = Array.from(value.subarray(0, limit), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `x'${digits}${value.length > limit ? '…' : ''}'`;
}

/** An identifier as SQL writes it when it is not a plain word. */
export const identifier = (name: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
