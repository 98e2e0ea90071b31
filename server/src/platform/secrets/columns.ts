const RETURN = 0x0d;
const NOT_ASCII = /[\u0080-\u00ff]/;

/** Returns the columns of the character with these first two bytes in UTF-8. */
export function columnsOf(lead: number, second: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc0) return 0;
  if (lead < 0xe1) return 1;
  if (lead >= 0xe3 && lead <= 0xed) return lead === 0xea && second >= 0x94 && second < 0xb0 ? 1 : 2;
  if (lead === 0xe1) return second === 0x84 ? 2 : 1;
  if (lead === 0xe2) return second === 0xba || second === 0xbb || second >= 0xbe ? 2 : 1;
  if (lead === 0xef) return second >= 0xbc || (second >= 0xa4 && second <= 0xab) ? 2 : 1;
  return second === 0x9f || second >= 0xa0 ? 2 : 1;
}

/** Returns the columns of a text in UTF-8. */
export function widthOf(bytes: Buffer, from: number, to: number): number {
  let width = 0;
  for (let at = from; at < to; at++) width += columnsOf(bytes[at] ?? 0, bytes[at + 1] ?? 0);
  return width;
}

/** Returns true if `cols` ends no line of a text with one byte per character; 0 ends none. */
export function isUnwrapped(text: string, before: number, cols: number): boolean {
  if (cols === 0) return true;
  let column = before;
  for (let from = 0; ; ) {
    const newline = text.indexOf('\n', from);
    if (newline < 0) return true;
    column += newline - from;
    const end = text.charCodeAt(newline - 1) === RETURN ? column - 1 : column;
    // Characters of several bytes have fewer columns than bytes.
    if (column >= cols && (end % cols === 0 || NOT_ASCII.test(text.slice(from, newline))))
      return false;
    column = 0;
    from = newline + 1;
  }
}
