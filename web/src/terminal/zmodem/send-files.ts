import { TYPES } from '@sallyport/contract/zmodem/frames.ts';
import { dataHeader, type FrameLink, subpacket } from './frame-link.ts';

/** Bytes that `rz` confirms at once. Escaped, they fit twice into the window of the gateway. */
const WINDOW = 128 * 1024;
/** Content of a subpacket that every program takes. */
const SUBPACKET = 1024;
/** Subpackets of one WebSocket frame. */
const AT_ONCE = 16;
/** Conversion: none. */
const BINARY = 0x01_00_00_00;
/** A regular file with the usual mode, in octal digits. */
const MODE = '100644';

/** Sends files to `rz`. `progress` gets the file and its confirmed bytes. */
export async function sendFiles(
  link: FrameLink,
  files: readonly File[],
  progress: (file: File, bytes: number) => void,
): Promise<void> {
  let bytes = files.reduce((sum, { size }) => sum + size, 0);
  for (const [index, file] of files.entries()) {
    progress(file, 0);
    const time = Math.floor(file.lastModified / 1000).toString(8);
    const facts = `${file.size} ${time} ${MODE} 0 ${files.length - index} ${bytes}`;
    const name = new TextEncoder().encode(`${file.name}\0${facts}\0`);
    link.send(dataHeader(TYPES.file, BINARY), subpacket(name, true));
    await sendContent(link, file, (sent) => progress(file, sent));
    bytes -= file.size;
  }
  link.header(TYPES.finish);
  await answer(link, TYPES.finish);
}

/** Sends one file from the position that the receiver asks for, unless it skips the file. */
async function sendContent(
  link: FrameLink,
  file: File,
  progress: (bytes: number) => void,
): Promise<void> {
  let reply = await answer(link, TYPES.position, TYPES.skip, TYPES.fileError);
  while (reply.type === TYPES.position) {
    let at = reply.value;
    while (at < file.size) {
      const end = Math.min(file.size, at + WINDOW);
      await sendWindow(link, file, at, end);
      reply = await answer(link, TYPES.ack, TYPES.position, TYPES.skip, TYPES.fileError);
      if (reply.type === TYPES.skip || reply.type === TYPES.fileError) return;
      at = reply.type === TYPES.position ? reply.value : end;
      progress(at);
    }
    link.send(dataHeader(TYPES.endOfFile, file.size));
    reply = await answer(link, TYPES.init, TYPES.position, TYPES.skip, TYPES.fileError);
  }
}

async function sendWindow(link: FrameLink, file: File, from: number, to: number): Promise<void> {
  const content = new Uint8Array(await file.slice(from, to).arrayBuffer());
  let frames = [dataHeader(TYPES.data, from)];
  for (let at = 0; at < content.length; at += SUBPACKET) {
    const isLast = at + SUBPACKET >= content.length;
    frames.push(subpacket(content.subarray(at, at + SUBPACKET), isLast));
    if (frames.length < AT_ONCE && !isLast) continue;
    link.send(...frames);
    frames = [];
  }
}

/** Waits for one of these headers. Others are repeated answers to earlier frames. */
async function answer(link: FrameLink, ...types: readonly number[]) {
  for (;;) {
    const part = await link.next();
    if (part.kind === 'header' && types.includes(part.header.type)) return part.header;
  }
}
