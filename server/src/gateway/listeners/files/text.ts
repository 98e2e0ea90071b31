import { isUtf8 } from 'node:buffer';
import { MAX_TEXT_FILE, type TextCharset, type TextFile } from '@sallyport/contract';
import iconv from 'iconv-lite';
import { Refusal } from '../../refusal.ts';
import type { FileEntry, RemoteFiles } from '../../sessions/files/remote-files.ts';

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_MARK = Buffer.from([0xff, 0xfe]);

/** A version that changes with the file. */
export const versionOf = ({ size, modifiedAt }: FileEntry): string => `${modifiedAt}-${size}`;

/** Reads a text file. @throws Refusal for a large file, or one that is not text */
export async function readText(files: RemoteFiles, path: string): Promise<TextFile> {
  const reader = await files.openFile(path);
  let failed: Error | undefined;
  try {
    if (reader.entry.size > MAX_TEXT_FILE)
      throw new Refusal('file_too_large', { max: MAX_TEXT_FILE });
    const pieces: Buffer[] = [];
    let size = 0;
    for (;;) {
      const piece = await reader.read(size, MAX_TEXT_FILE + 1 - size);
      if (piece.length === 0) break;
      pieces.push(piece);
      size += piece.length;
      // Files such as those of /proc report no size.
      if (size > MAX_TEXT_FILE) throw new Refusal('file_too_large', { max: MAX_TEXT_FILE });
    }
    return { ...decode(Buffer.concat(pieces)), version: versionOf(reader.entry) };
  } catch (error) {
    failed = error instanceof Error ? error : undefined;
    throw error;
  } finally {
    await reader.close(failed);
  }
}

/**
 * Replaces a text file and returns its new version. @throws Refusal `file_changed` when it has
 * changed since `version`
 */
export async function writeText(
  files: RemoteFiles,
  path: string,
  { text, charset, version }: TextFile,
): Promise<string> {
  const bytes = encode(text, charset);
  if (bytes.length > MAX_TEXT_FILE) throw new Refusal('file_too_large', { max: MAX_TEXT_FILE });
  if (version !== '' && versionOf(await files.statTarget(path)) !== version)
    throw new Refusal('file_changed');
  const upload = await files.upload(path, { size: bytes.length, overwrite: true });
  try {
    if (bytes.length > 0) await upload.write(0, bytes);
    await upload.complete();
  } catch (error) {
    await upload.abort(error instanceof Error ? error : undefined);
    throw error;
  }
  return versionOf(await files.statTarget(path));
}

function decode(bytes: Buffer): { readonly text: string; readonly charset: TextCharset } {
  if (bytes.subarray(0, 3).equals(UTF8_MARK) && isUtf8(bytes))
    return { text: bytes.toString('utf8', 3), charset: 'utf-8-bom' };
  if (bytes.subarray(0, 2).equals(UTF16_MARK) && bytes.length % 2 === 0) {
    const text = bytes.toString('utf16le', 2);
    if (text.isWellFormed() && !text.includes('\0')) return { text, charset: 'utf-16le' };
  }
  if (bytes.includes(0)) throw new Refusal('file_not_text');
  if (isUtf8(bytes)) return { text: bytes.toString('utf8'), charset: 'utf-8' };
  const text = iconv.decode(bytes, 'gb18030', { stripBOM: false });
  // Allow editing only if encoding restores the same bytes.
  if (!text.includes('\ufffd') && iconv.encode(text, 'gb18030').equals(bytes))
    return { text, charset: 'gb18030' };
  throw new Refusal('file_not_text');
}

function encode(text: string, charset: TextCharset): Buffer {
  if (!text.isWellFormed()) throw new Refusal('file_charset', { charset });
  switch (charset) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-8-bom':
      return Buffer.concat([UTF8_MARK, Buffer.from(text)]);
    case 'utf-16le':
      return Buffer.concat([UTF16_MARK, Buffer.from(text, 'utf16le')]);
    case 'gb18030': {
      const bytes = iconv.encode(text, 'gb18030');
      if (iconv.decode(bytes, 'gb18030', { stripBOM: false }) !== text)
        throw new Refusal('file_charset', { charset });
      return bytes;
    }
  }
}
