/** Names of every shape. */
import type { FacadeVFS } from '../../facade.js';
import { NotPromised } from '../not-promised.js';
import type { AnySubject } from '../subject.js';

/** Shapes of names, by what a case about one is called. */
export const SHAPES: Readonly<Record<string, string>> = {
  spaces: ' a b .db ',
  hash: 'a#b.db',
  'question-mark': 'a?vfs=nonsense&b.db',
  percent: 'a%23b%00.db',
  slashes: 'folder/inside/a.db',
  'leading-slash': '/absolute/a.db',
  backslash: 'a\\b.db',
  quotes: `it's "quoted" \`a\`.db`,
  colon: 'C:a;b|c*<d>.db',
  unicode: 'é表ф.db',
  emoji: '😀👩‍👩‍👧.db',
  url: 'http://x.y/z.db#a',
  'like-a-journal': 'a-journal',
  'like-a-log': 'a-wal',
  'line-break': 'a\nb.db',
};

/** Names that are easily taken for one another. */
export const SIMILAR = ['a', 'A', 'a ', 'a#', 'a?', 'a%', 'á', 'a\u0301', 'a%20', 'a+', 'a#b', 'a/', 'a.'];

/** Length of the longest name, in bytes, where a VFS does not say. */
const MAX_PATHNAME = 1024;

/** The longest name: what is `before`, and then one letter as often as it fits. */
export function longestName(vfs: FacadeVFS | undefined, letter = 'x', before = ''): string {
  const length = (text: string) => new TextEncoder().encode(text).length;
  const room = (vfs?.maxPathname ?? MAX_PATHNAME) - length(before);
  return before + letter.repeat(Math.floor(room / length(letter)));
}

/** Ends the case if this name can be no file's. */
export function needsName(subject: AnySubject, name: string): void {
  if (subject.promises?.refusesName?.(name)) {
    throw new NotPromised(`it refuses the name ${JSON.stringify(name)}`);
  }
}
