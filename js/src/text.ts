/** Text to UTF-8 and back. One encoder and one decoder serve all: making them costs more than using them. */

const encoder = new TextEncoder();
// A byte order mark in a value is part of the value.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Lone surrogates become U+FFFD, as in Node. */
export const encode = (text: string): Uint8Array => encoder.encode(text);

export const encodeInto = (text: string, target: Uint8Array) => encoder.encodeInto(text, target);

/** What is not UTF-8 becomes U+FFFD. */
export const decode = (bytes: Uint8Array): string => decoder.decode(bytes);
