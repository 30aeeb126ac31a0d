/** Text to UTF-8 and back. One encoder and one decoder serve all: making them costs more than using them. */

const encoder = new TextEncoder();
// A byte order mark in a value is part of the value.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Lone surrogates become U+FFFD, as in Node. */
export const encode = (text: string): Uint8Array => encoder.encode(text);

export const encodeInto = (text: string, target: Uint8Array) => encoder.encodeInto(text, target);

/** What is not UTF-8 becomes U+FFFD. */
export const decode = (bytes: Uint8Array): string => decoder.decode(bytes);

/** Bytes of a text that is short. */
const SHORT = 32;

/** As `decode`, of `length` bytes from `start` on. For a short ASCII text it takes two thirds of the time, and no view. */
export function decodeAt(bytes: Uint8Array, start: number, length: number): string {
  const end = start + length;
  if (length > SHORT) return decode(bytes.subarray(start, end));
  let text = '';
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const a = bytes[at] as number;
    const b = bytes[at + 1] as number;
    const c = bytes[at + 2] as number;
    const d = bytes[at + 3] as number;
    if ((a | b | c | d) > 127) return decode(bytes.subarray(start, end));
    text += String.fromCharCode(a, b, c, d);
  }
  for (; at < end; at++) {
    const a = bytes[at] as number;
    if (a > 127) return decode(bytes.subarray(start, end));
    text += String.fromCharCode(a);
  }
  return text;
}
