// Reads evidence in slices, in Node and in browsers, without packages: memory stays bounded.
const BLOCK = 512;
const PIECE = 1 << 20;
/** Maximum bytes of a JSON document or of a line, and maximum number of files. */
const MAX_TEXT = 64 << 20;
const MAX_FILES = 200_000;

/** Takes a template apart into a text, which a page can translate, and its values. */
export const told = (strings, ...values) => ({
  text: strings.join('{}'),
  values,
  english: String.raw({ raw: strings }, ...values),
});
/** Makes an error of a template. */
export function failure(...template) {
  const parts = told(...template);
  return Object.assign(new Error(parts.english), parts);
}

function readHeader(header, at) {
  const text = String.fromCharCode(...header);
  const sum = header.reduce(
    (total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte),
    0,
  );
  const isSound =
    Number.parseInt(text.slice(148, 154), 8) === sum &&
    /^[0-7]{11}\0$/.test(text.slice(124, 136)) &&
    text[156] === '0' &&
    text.slice(257, 265) === 'ustar\u000000';
  if (!isSound) throw failure`the archive has a damaged header at byte ${at}`;
  const size = Number.parseInt(text.slice(124, 135), 8);
  return { name: text.slice(0, 100).replace(/\0+$/, ''), size };
}

/**
 * Opens a tar archive, as the server writes it. The source has `size` and `read(from, to)`. Names
 * of its files match `allowed`. @throws Error
 */
export async function openArchive(source, allowed) {
  const files = new Map();
  let window = new Uint8Array();
  let start = 0;
  /** Reads ahead, as most files are small. */
  const read = async (from, to) => {
    if (to > source.size) throw failure`the archive is cut off`;
    if (from < start || to > start + window.length) {
      window = await source.read(from, Math.min(source.size, Math.max(to, from + PIECE)));
      start = from;
    }
    return window.subarray(from - start, to - start);
  };
  const archive = {
    files,
    async *pieces(name) {
      const { at, size } = files.get(name);
      for (let done = 0; done < size; done += PIECE)
        yield await read(at + done, at + Math.min(size, done + PIECE));
    },
    async *lines(name) {
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      let rest = new Uint8Array();
      for await (const piece of archive.pieces(name)) {
        const bytes = new Uint8Array(rest.length + piece.length);
        if (bytes.length > MAX_TEXT) throw failure`${name} has a line that is too long`;
        bytes.set(rest);
        bytes.set(piece, rest.length);
        let from = 0;
        for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
          yield decoder.decode(bytes.subarray(from, end));
          from = end + 1;
        }
        rest = bytes.slice(from);
      }
      if (rest.length > 0) yield decoder.decode(rest);
    },
    async text(name) {
      const { at, size } = files.get(name);
      if (size > MAX_TEXT) throw failure`${name} is too large`;
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      return decoder.decode(await read(at, at + size));
    },
  };
  let at = 0;
  for (;;) {
    const header = await read(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const { name, size } = readHeader(header, at);
    if (!allowed.test(name)) throw failure`the archive has an unexpected file: ${name}`;
    if (files.has(name)) throw failure`the archive has ${name} twice`;
    if (files.size === MAX_FILES) throw failure`the archive has too many files`;
    files.set(name, { at: at + BLOCK, size });
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  const end = await read(at, at + 2 * BLOCK);
  if (at + end.length < source.size || end.some((byte) => byte !== 0))
    throw failure`the archive has data after its end`;
  return archive;
}
