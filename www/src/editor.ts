// The SQL box. Everything else talks to this class alone, so that a richer editor can take the textarea's place.

export class Editor {
  readonly #area: HTMLTextAreaElement;

  constructor(area: HTMLTextAreaElement, run: () => void) {
    this.#area = area;
    area.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      // A held key repeats; what it runs should not.
      if (!event.repeat) run();
    });
  }

  get sql(): string {
    return this.#area.value;
  }

  set sql(text: string) {
    this.#area.value = text;
    this.#area.scrollTop = 0;
  }
}

/** The keys that run the SQL, as this machine's keyboard names them. */
export const runKeys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ Enter' : 'Ctrl Enter';
