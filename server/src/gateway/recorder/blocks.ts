/** Bytes of one block: room for the longest event, every byte of it escaped. */
export const BLOCK_BYTES = 512 * 1024;
const MAX_SPARE = 8;
const spare: Buffer[] = [];

/** A block to fill. Blocks are used again and shared by all recordings, so that a flood leaves nothing behind for the collector. */
export function takeBlock(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
}

/** The block is written; an idle recording holds none. */
export function giveBlock(block: Buffer): void {
  if (spare.length < MAX_SPARE) spare.push(block);
}
