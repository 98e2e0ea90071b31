import { createCipheriv, type KeyObject } from 'node:crypto';

const LENGTH_BYTES = 4;
const BLOCK = 16;
const MIN_PADDING = 4;
/** The nonce ends with a counter of packets (RFC 5647, section 7.1). */
const COUNTER_AT = 4;
/** Smaller packets share the pool of `Buffer`. Larger ones than the maximum are rare. */
const MIN_SHARED = 4 * 1024;
const MAX_SHARED = 64 * 1024;

/**
 * Memory of one plain packet. ssh2 fills and encrypts a packet before it begins the next. A buffer
 * per packet costs an allocation, page faults and garbage collection.
 */
let shared: Buffer | undefined;
let isTaken = false;

/** A packet up to this size is one write; copying a larger one costs more than three parts. */
const MAX_JOINED = 1024;

/** Settings with which ssh2 creates ciphers. */
export interface CipherConfig {
  readonly outbound?: {
    readonly seqno: number;
    readonly onWrite: (bytes: Buffer) => void;
    readonly cipherInfo: { readonly sslName: string };
    readonly cipherKey: Buffer;
    readonly cipherIV: Buffer;
  };
}

type GcmName = 'aes-128-gcm' | 'aes-256-gcm';
export const isGcm = (name: string): name is GcmName =>
  name === 'aes-128-gcm' || name === 'aes-256-gcm';

interface GcmOptions {
  readonly name: GcmName;
  readonly key: KeyObject;
  readonly nonce: Buffer;
  readonly firstSequence: number;
  readonly onWrite: (bytes: Buffer) => void;
  readonly fillRandom: (buffer: Buffer, offset: number, size: number) => void;
}

/** Takes the place of ssh2's cipher for AES-GCM, with shared memory for plain packets. */
export class GcmCipher {
  /** ssh2 resets it at a strict key exchange. */
  outSeqno: number;
  private readonly options: Omit<GcmOptions, 'key'>;
  private readonly key: KeyObject;
  private isFree = false;

  constructor({ key, ...options }: GcmOptions) {
    this.options = options;
    this.key = key;
    this.outSeqno = options.firstSequence;
  }

  free(): void {
    this.isFree = true;
  }

  /** Returns a packet with lengths and padding, for a payload of this size. */
  allocPacket(payload: number): Buffer {
    const unpadded = 1 + payload;
    let padding = BLOCK - (unpadded % BLOCK);
    if (padding < MIN_PADDING) padding += BLOCK;
    const packet = memoryFor(LENGTH_BYTES + unpadded + padding);
    packet.writeUInt32BE(unpadded + padding);
    packet[LENGTH_BYTES] = padding;
    this.options.fillRandom(packet, LENGTH_BYTES + unpadded, padding);
    return packet;
  }

  /** Writes an encrypted packet. */
  encrypt(packet: Buffer): void {
    if (packet.buffer === shared?.buffer) isTaken = false;
    if (this.isFree) return;
    const { name, nonce, onWrite } = this.options;
    const cipher = createCipheriv(name, this.key, nonce);
    const length = Buffer.from(packet.subarray(0, LENGTH_BYTES));
    cipher.setAAD(length);
    const body = cipher.update(packet.subarray(LENGTH_BYTES));
    cipher.final();
    const tag = cipher.getAuthTag();
    if (body.length <= MAX_JOINED) onWrite(Buffer.concat([length, body, tag]));
    else for (const part of [length, body, tag]) onWrite(part);
    countPacket(nonce);
    this.outSeqno = (this.outSeqno + 1) >>> 0;
  }
}

function countPacket(nonce: Buffer): void {
  for (let at = nonce.length - 1; at >= COUNTER_AT; at--) {
    const next = ((nonce[at] ?? 0) + 1) % 256;
    nonce[at] = next;
    if (next !== 0) return;
  }
}

function memoryFor(bytes: number): Buffer {
  if (isTaken || bytes < MIN_SHARED || bytes > MAX_SHARED) return Buffer.allocUnsafe(bytes);
  isTaken = true;
  shared ??= Buffer.allocUnsafeSlow(MAX_SHARED);
  return shared.subarray(0, bytes);
}
