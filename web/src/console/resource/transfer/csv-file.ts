/**
 * Decodes a file in UTF-8, UTF-16 or a Chinese encoding like the server, without byte order mark.
 */
export function decodeText(bytes: Uint8Array<ArrayBuffer>): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('gb18030').decode(bytes);
  }
}

/** Parses CSV (RFC 4180). Accepts any text: the server reports problems of a file. */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let cell = '';
  let quoted = false;
  let begun = false;
  const endCell = () => {
    record.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    begun = true;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += '"';
        at++;
      } else quoted = false;
    } else if (letter === '"' && cell === '') quoted = true;
    else if (letter === ',') endCell();
    else if (letter === '\n' || letter === '\r') {
      if (letter === '\r' && text[at + 1] === '\n') at++;
      endCell();
      records.push(record);
      record = [];
      begun = false;
    } else cell += letter;
  }
  if (begun) {
    endCell();
    records.push(record);
  }
  return records;
}

/** Writes records as CSV (RFC 4180), with a byte order mark to make spreadsheets read UTF-8. */
export function csvText(records: readonly (readonly string[])[]): string {
  const cell = (text: string) =>
    /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return `\uFEFF${records.map((record) => `${record.map(cell).join(',')}\r\n`).join('')}`;
}

/**
 * Returns why the chosen files cannot be imported, or undefined: it must be one file ending with
 * csv (conformance 5.10).
 */
export function refusalOfFiles(names: readonly string[]): 'only-one' | 'only-csv' | undefined {
  if (names.length > 1) return 'only-one';
  return names.every((name) => name.toLowerCase().endsWith('csv')) ? undefined : 'only-csv';
}
