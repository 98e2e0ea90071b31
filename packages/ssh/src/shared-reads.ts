import type { Duplex } from 'node:stream';

/**
 * Size of the buffer into which all connections read. Without it, Node allocates 64 KiB for each
 * read, copies the bytes to a second buffer, and leaves both to the garbage collector. A read of
 * several packets also sends them on with one write.
 */
const SHARED = 256 * 1024;
let shared: Buffer | undefined;

/** A socket of Node and the fields behind its documented option `onread`. */
interface Fields {
  readonly handle: { useUserBuffer(buffer: Buffer): void };
  readonly buffer: symbol;
  readonly callback: symbol;
}

/**
 * Reads a socket into the shared buffer. A listener of `data` must not keep a chunk: the next read
 * overwrites it. A chunk that the stream queues is a copy. Other streams stay as they are.
 */
export function shareReads(socket: Duplex): void {
  const fields = fieldsOf(socket);
  if (!fields) return;
  shared ??= Buffer.allocUnsafeSlow(SHARED);
  const buffer = shared;
  Reflect.set(socket, fields.buffer, buffer);
  Reflect.set(socket, fields.callback, (length: number) => {
    const chunk = buffer.subarray(0, length);
    const isDelivered = socket.readableFlowing && socket.readableLength === 0;
    return socket.push(isDelivered ? chunk : Buffer.from(chunk));
  });
  fields.handle.useUserBuffer(buffer);
}

/** Returns a chunk that stays as it is. */
export const copyIfShared = (chunk: Buffer): Buffer =>
  chunk.buffer === shared?.buffer ? Buffer.from(chunk) : chunk;

/** Node applies `onread` to sockets that it creates for a caller, not to those of a server. */
function fieldsOf(socket: Duplex): Fields | undefined {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle !== 'object' || handle === null || !('useUserBuffer' in handle))
    return undefined;
  const symbolOf = (name: string) =>
    Object.getOwnPropertySymbols(socket).find(({ description }) => description === name);
  const buffer = symbolOf('kBuffer');
  const callback = symbolOf('kBufferCb');
  if (!buffer || !callback) return undefined;
  return { handle: handle as Fields['handle'], buffer, callback };
}
