// Files that come from outside: dropped anywhere on the page, or chosen with a button.

import { h } from './dom.js';

export function acceptDroppedFile(accept: (file: File) => void): void {
  const veil = h('div', { class: 'veil', hidden: true }, h('p', {}, 'Drop a database file to open it'));
  document.body.append(veil);
  const carriesFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  addEventListener('dragover', (event) => {
    if (!carriesFile(event)) return;
    // Without this the browser would leave the page to show the file.
    event.preventDefault();
    veil.hidden = false;
  });
  // Once shown, the veil covers the page, so leaving it is leaving the page.
  veil.addEventListener('dragleave', () => {
    veil.hidden = true;
  });
  addEventListener('drop', (event) => {
    veil.hidden = true;
    if (!carriesFile(event)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) accept(file);
  });
}

export function acceptChosenFile(
  opener: HTMLButtonElement,
  input: HTMLInputElement,
  accept: (file: File) => void,
): void {
  opener.addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    const file = input.files?.[0];
    // Emptied, so that choosing the same file again is a change again.
    input.value = '';
    if (file !== undefined) accept(file);
  });
}
