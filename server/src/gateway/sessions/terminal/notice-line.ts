// biome-ignore lint/suspicious/noControlCharactersInRegex: stored text must not control a terminal
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;

/** ST ends an escape sequence that the target left open. Then: no colors, ASCII characters. */
const PLAIN = '\x1b\\\x1b[0m\x1b(B\x0f';

/** Replaces control characters of a stored text. */
export const withoutControls = (text: string): string => text.replace(CONTROLS, ' ');

/** A line of ours in a terminal, inverted, between lines of the target. */
export const noticeLine = (text: string): Buffer =>
  Buffer.from(`${PLAIN}\r\n\x1b[7m ${withoutControls(text)} \x1b[0m\r\n`);
