const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences take no room
const COLORS = /\x1b\[[\d;]*m/g;

/** Returns the columns of a text in a terminal. Color sequences have width 0. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text.replace(COLORS, '')) width += WIDE.test(character) ? 2 : 1;
  return width;
}
