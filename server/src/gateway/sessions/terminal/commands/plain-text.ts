const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches escape sequences
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[P\]X^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]|\x1b$/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches a backspace
const BACKSPACED = /[^\x08]\x08/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches a backspace
const LEADING_BACKSPACES = /^\x08+/;

/** Returns raw output as a reader sees it: without escape sequences and overwritten text. */
export function plainText(raw: string): string {
  return raw
    .replace(SEQUENCES, '')
    .split('\n')
    .map((line) => overwrite(line.replace(/\r+$/, '')).replace(CONTROLS, ''))
    .join('\n');
}

/** A carriage return restarts the line, as in progress bars; a backspace removes a character. */
function overwrite(line: string): string {
  const start = line.lastIndexOf('\r');
  let text = start >= 0 ? line.slice(start + 1) : line;
  while (text.includes('\b')) {
    const shorter = text.replace(BACKSPACED, '').replace(LEADING_BACKSPACES, '');
    if (shorter === text) break;
    text = shorter;
  }
  return text;
}

/** Truncates to `max` UTF-16 units without splitting a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
