// The playground as its user sees it: what can be done, and what is shown.

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ElementHandle, Page } from 'puppeteer-core';
import { expect } from 'vitest';
import { eventually } from './watched-page.js';

export class Playground {
  readonly page: Page;
  readonly #downloads: string;

  constructor(page: Page, downloads: string) {
    this.page = page;
    this.#downloads = downloads;
  }

  /** The page has loaded its data and shows the first example's rows. */
  async ready(): Promise<void> {
    await eventually(
      () => this.rows(),
      (rows) => expect(rows.length).toBeGreaterThan(0),
    );
  }

  /** Types SQL as a user would and runs it from the keyboard. Answers with the status. */
  async type(sql: string): Promise<string> {
    await this.page.focus('#sql');
    // Typing a long text key by key is slow, and none of it is ours to test; the last key is.
    await this.page.$eval(
      '#sql',
      (area, text) => ((area as HTMLTextAreaElement).value = text),
      sql.slice(0, -1),
    );
    await this.page.keyboard.press('End');
    await this.page.keyboard.type(sql.slice(-1));
    return this.#afterwards(async () => {
      await this.page.keyboard.down('Control');
      await this.page.keyboard.press('Enter');
      await this.page.keyboard.up('Control');
    });
  }

  /** Clicks a button and answers with the status that follows. */
  click(label: string): Promise<string> {
    return this.#afterwards(() => this.press(label));
  }

  /** A click as by a mouse: a browser allows more to a page whose user just did something, downloads for one. */
  async press(label: string): Promise<void> {
    const found = await this.page.evaluateHandle(
      (text) => [...document.querySelectorAll('button')].find((button) => button.textContent === text),
      label,
    );
    const button = found.asElement();
    if (button === null) throw new Error(`no button ${label}`);
    await (button as ElementHandle<HTMLButtonElement>).click();
  }

  async choose(path: string): Promise<string> {
    return this.#afterwards(async () => {
      const input = await this.page.$('#file-input');
      if (input === null) throw new Error('no file input');
      await (input as ElementHandle<HTMLInputElement>).uploadFile(path);
    });
  }

  /** Drops a file. The drag itself belongs to the desktop, so the page gets the events that end one. */
  async drop(name: string, content: Uint8Array): Promise<string> {
    return this.#afterwards(() =>
      this.page.evaluate(
        (fileName, base64) => {
          const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([bytes], fileName));
          for (const type of ['dragenter', 'dragover', 'drop']) {
            const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
            document.body.dispatchEvent(event);
          }
        },
        name,
        Buffer.from(content).toString('base64'),
      ),
    );
  }

  /** Presses Save and answers with the file that arrives. */
  async save(name: string): Promise<Uint8Array> {
    // Browsers differ in what they do when a file of that name is there already.
    for (const file of readdirSync(this.#downloads)) rmSync(join(this.#downloads, file));
    await this.click('Save');
    const path = join(this.#downloads, name);
    await eventually(
      async () => readdirSync(this.#downloads),
      (files) => {
        // While it arrives, it lies beside a file of another name, or is empty.
        expect(files).toEqual([name]);
        expect(statSync(path).size).toBeGreaterThan(0);
      },
    );
    return readFileSync(path);
  }

  // `evaluate` rather than `$$eval`, which hands each of hundreds of rows back and forth.

  rows(): Promise<string[][]> {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('#result tbody tr')].map((row) =>
        [...row.querySelectorAll('td:not(.ordinal)')].map((cell) => cell.textContent ?? ''),
      ),
    );
  }

  /** How many rows are shown, and the first cell of the first and of the last. */
  edges(): Promise<[number, string, string]> {
    return this.page.evaluate((): [number, string, string] => {
      const rows = [...document.querySelectorAll('#result tbody tr')];
      const first = (row: Element | undefined) => row?.querySelector('td:not(.ordinal)')?.textContent ?? '';
      return [rows.length, first(rows[0]), first(rows.at(-1))];
    });
  }

  columns(): Promise<string[]> {
    return this.page.$$eval('#result thead th:not(.ordinal)', (cells) =>
      cells.map((cell) => cell.textContent ?? ''),
    );
  }

  tables(): Promise<Record<string, string>> {
    return this.page.$$eval('#schema summary', (entries) =>
      Object.fromEntries(
        entries.map((entry) => [
          entry.querySelector('.name')?.textContent ?? '',
          entry.querySelector('.rows')?.textContent ?? '',
        ]),
      ),
    );
  }

  text(selector: string): Promise<string> {
    return this.page.$eval(selector, (element) => element.textContent ?? '');
  }

  /** Calls and bytes of one operation of the store. */
  async operation(name: string): Promise<{ last: number; total: number; bytes: number }> {
    return this.page.$$eval(`#io tr[data-operation="${name}"] td`, ([last, total]) => ({
      last: Number(last?.getAttribute('data-calls') ?? 0),
      total: Number(total?.getAttribute('data-calls') ?? 0),
      bytes: Number(total?.getAttribute('data-bytes') ?? 0),
    }));
  }

  /** Does something and waits until the page has said what came of it: each time a new text. */
  async #afterwards(act: () => Promise<unknown>): Promise<string> {
    await this.page.evaluate(() => {
      for (const id of ['status', 'problem']) document.getElementById(id)?.replaceChildren();
    });
    await act();
    const said = async () => `${await this.text('#status')}${await this.text('#problem')}`;
    await eventually(said, (text) => expect(text).not.toBe(''));
    return said();
  }
}
