/** The code of a guide. */
import { readFileSync } from 'node:fs';

export interface Guide {
  readonly text: string;
  /** Its blocks of JavaScript, by the file names in their first lines. */
  readonly blocks: readonly { readonly name: string; readonly code: string }[];
}

export function guideOf(name: string): Guide {
  const text = readFileSync(new URL(`../../guides/${name}.md`, import.meta.url), 'utf8');
  const blocks = Array.from(text.matchAll(/^```js\n\/\/ (\S+)\n([\s\S]*?)^```$/gm), ([, name, code]) => ({
    name: name as string,
    code: code as string,
  }));
  return { text, blocks };
}

/** What the programs of a guide print, as it says. */
export function outputOf({ text }: Guide): string[] {
  const output = /^```text\n([\s\S]*?)^```$/m.exec(text)?.[1];
  if (!output) throw new Error('the guide does not say what its programs print');
  return output.trimEnd().split('\n');
}
