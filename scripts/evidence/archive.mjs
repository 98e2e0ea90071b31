// Reads evidence in slices, in Node and in browsers, without packages: memory stays bounded.
import { createDecoder, text } from './timestamp.mjs';

const BLOCK = 512;
const PIECE = 1 << 20;
/** Maximum bytes of a JSON document or of a line, and maximum number of files. */
const MAX_TEXT = 64 << 20;
const MAX_FILES = 200_000;

/** Reads a header of tar. Its sum is not compared: the manifest has the digest of each file. */
function readHeader(header, at) {
  const content = String.fromCharCode(...header);
  const isSound =
    /^[0-7]{11}\0$/.test(content.slice(124, 136)) &&
    content[156] === '0' &&
    content.slice(257, 265) === 'ustar\u000000';
  if (!isSound) throw new Error(`the archive has a damaged header at byte ${at}`);
  const size = Number.parseInt(content.slice(124, 135), 8);
  return { name: content.slice(0, 100).replace(/\0+$/, ''), size };
}

/**
 * Opens a tar archive, as the server writes it. The source has `size` and `read(from, to)`. Names
 * of its files match `allowed`. @throws Error
 */
export async function openArchive(source, allowed) {
  const files = new Map();
  let [window, start] = [new Uint8Array(), 0];
  /** Reads ahead, as most files are small. */
  const read = async (from, to) => {
    if (to > source.size) throw new Error('the archive is cut off');
    if (from < start || to > start + window.length) {
      window = await source.read(from, Math.min(source.size, Math.max(to, from + PIECE)));
      start = from;
    }
    return window.subarray(from - start, to - start);
  };
  async function* pieces(name) {
    const { at, size } = files.get(name) ?? { size: 0 };
    for (let done = 0; done < size; done += PIECE)
      yield await read(at + done, at + Math.min(size, done + PIECE));
  }
  async function* lines(name) {
    const decoder = createDecoder();
    let rest = '';
    for await (const piece of pieces(name)) {
      const parts = (rest + decoder.decode(piece, { stream: true })).split('\n');
      rest = parts.pop();
      if (rest.length > MAX_TEXT) throw new Error(`${name} has a line that is too long`);
      yield* parts;
    }
    rest += decoder.decode();
    if (rest !== '') yield rest;
  }
  const readText = async (name) => {
    const { at, size } = files.get(name);
    if (size > MAX_TEXT) throw new Error(`${name} is too large`);
    return text(await read(at, at + size));
  };
  let at = 0;
  for (;;) {
    const header = await read(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const { name, size } = readHeader(header, at);
    if (!allowed.test(name)) throw new Error(`the archive has an unexpected file: ${name}`);
    if (files.has(name)) throw new Error(`the archive has ${name} twice`);
    if (files.size === MAX_FILES) throw new Error('the archive has too many files');
    files.set(name, { at: at + BLOCK, size });
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  const end = await read(at, at + 2 * BLOCK);
  if (at + end.length < source.size || end.some((byte) => byte !== 0))
    throw new Error('the archive has data after its end');
  return { files, pieces, lines, text: readText };
}
