const BLOCK = 512;
/** The size has eleven octal digits. */
const MAX_SIZE = 8 ** 11 - 1;

/** Returns the header of a file in a tar archive (ustar). It has no date. */
export function tarHeader(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name is too long for tar: ${name}`);
  if (size > MAX_SIZE) throw new Error(`the file is too large for tar: ${name}`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  header.write(name, 0);
  header.write(`${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  header.write(`${octal(size, 11)}\0${octal(0, 11)}\0`, 124);
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

/** Returns the zeros after the content of a file, up to the next block. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** The end of an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);
