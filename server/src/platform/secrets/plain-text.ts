const UNDERSCORE = 0x5f;
/** First byte of the C1 controls in UTF-8. */
export const BEFORE_C1 = 0xc2;

// biome-ignore lint/suspicious/noControlCharactersInRegex: controls change what a terminal shows
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f](?<!\r(?=\n))/;
const C1 = /\u00c2[\u0080-\u009f]|[\u0090\u0098\u009b\u009d-\u009f](?<![\u0080-\u00ff].)|\u00c2$/s;
/**
 * Characters without a width in UTF-8, as bytes: joiners, marks of direction, variations, accents
 * that follow their letter. A reader sees the text around them as one.
 */
const UNSEEN =
  /\u00e2\u0080[\u008b-\u008f]|\u00e2\u0081[\u00a0-\u00a4]|\u00ef\u00bb\u00bf|\u00ef\u00b8[\u0080-\u008f]|\u00cc[\u0080-\u00bf]|\u00cd[\u0080-\u00af]/;

const isIn = (byte: number, from: number, to: number): boolean => byte >= from && byte <= to;

/** Returns true if a terminal prints a text with one byte per character as it is. */
export const isPlainText = (text: string): boolean =>
  !(CONTROLS.test(text) || C1.test(text) || UNSEEN.test(text));

/** Returns the offset after such a character; undefined if another one is at `at`. */
export function unseenAt(output: Buffer, at: number, to: number): number | undefined {
  const lead = output[at] ?? 0;
  if (lead !== 0xe2 && lead !== 0xef && lead !== 0xcc && lead !== 0xcd) return undefined;
  const [second, third] = [output[at + 1] ?? 0, output[at + 2] ?? 0];
  const isTwo =
    lead === 0xcc ? isIn(second, 0x80, 0xbf) : lead === 0xcd && isIn(second, 0x80, 0xaf);
  if (isTwo) return at + 2 <= to ? at + 2 : undefined;
  const isThree =
    lead === 0xe2
      ? (second === 0x80 && isIn(third, 0x8b, 0x8f)) || (second === 0x81 && isIn(third, 0xa0, 0xa4))
      : lead === 0xef &&
        ((second === 0xbb && third === 0xbf) || (second === 0xb8 && third <= 0x8f));
  return isThree && third >= 0x80 && at + 3 <= to ? at + 3 : undefined;
}

/**
 * Returns the bytes at the end of a part of the output that wait for the next part: a control of
 * two bytes, or an underlined character.
 */
export function bytesToWait(output: Buffer): number {
  const last = output.at(-1);
  return last === BEFORE_C1 || last === UNDERSCORE ? 1 : 0;
}
