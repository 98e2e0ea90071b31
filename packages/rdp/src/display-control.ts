import { ByteReader, u16, u32 } from './byte-reader.ts';
import type { ScreenSize } from './settings.ts';
import { ChannelReader, channelPieces } from './static-channel.ts';

/** The static channel that carries dynamic ones (MS-RDPEDYC). */
export const DYNAMIC_CHANNEL = 'drdynvc';
const DISPLAY_CONTROL = 'Microsoft::Windows::RDS::DisplayControl';

/** Commands of dynamic channels (MS-RDPEDYC 2.2). */
const COMMAND = { create: 1, first: 2, data: 3, close: 4, capabilities: 5 } as const;
const [VERSION, ACCEPTED, REFUSED] = [2, 0, 0xc000_0001] as const;
/** Messages of the display control channel (MS-RDPEDISP 2.2.2). */
const DISPLAY = { capabilities: 5, layout: 2 } as const;
const MONITOR_BYTES = 40;
const PRIMARY = 1;
const MAX_MESSAGE = 64 * 1024;
/** Pixels per millimeter of a usual screen: 96 to an inch. */
const DENSITY = 96 / 25.4;

export interface DisplayControlEnds {
  /** Sends a piece of the static channel. */
  toServer(piece: Buffer): void;
  /** The server can change the size of its desktop. */
  resizable(): void;
  /** The desktop has this size from now on. */
  resized(size: ScreenSize): void;
}

/**
 * Changes the size of a desktop. Speaks the channel of dynamic channels with the server alone, and
 * refuses every dynamic channel but display control.
 */
export class DisplayControl {
  readonly #ends: DisplayControlEnds;
  readonly #pieces = new ChannelReader(MAX_MESSAGE);
  #channel: number | undefined;
  #maxPixels = 0;
  #size: ScreenSize;
  /** The last requested size. The server takes some time until a share has it. */
  #requested: ScreenSize;

  constructor(size: ScreenSize, ends: DisplayControlEnds) {
    this.#size = size;
    this.#requested = size;
    this.#ends = ends;
  }

  /** The present size of the desktop. */
  get size(): ScreenSize {
    return this.#size;
  }

  /** Takes the size of a share that begins. */
  follow(size: ScreenSize): void {
    if (size.width * size.height === 0 || isSame(size, this.#size)) return;
    this.#size = size;
    this.#requested = size;
    this.#ends.resized(size);
  }

  /** Requests another size. Does nothing if the server cannot change it, or not to this one. */
  resize(size: ScreenSize): void {
    const { width, height } = size;
    if (this.#channel === undefined || width * height > this.#maxPixels) return;
    if (isSame(size, this.#size) && isSame(size, this.#requested)) return;
    this.#requested = size;
    const side = (pixels: number) => u32(Math.round(pixels / DENSITY));
    const monitor = [
      ...[u32(PRIMARY), u32(0), u32(0), u32(width), u32(height)],
      ...[side(width), side(height), u32(0), u32(100), u32(100)],
    ];
    this.#send(
      COMMAND.data,
      this.#channel,
      Buffer.concat([
        ...[u32(DISPLAY.layout), u32(16 + MONITOR_BYTES), u32(MONITOR_BYTES), u32(1)],
        ...monitor,
      ]),
    );
  }

  /** Reads a piece of the server. @throws BadPdu */
  read(piece: Buffer): void {
    const message = this.#pieces.push(piece);
    if (message) this.#message(new ByteReader(message));
  }

  #message(reader: ByteReader): void {
    const head = reader.u8();
    const command = head >> 4;
    if (command === COMMAND.capabilities) {
      reader.u8();
      // xrdp accepts no version 1, and version 3 compresses.
      const version = Math.min(reader.u16(), VERSION);
      this.#piece(Buffer.concat([Buffer.from([COMMAND.capabilities << 4, 0]), u16(version)]));
      return;
    }
    const channel = readId(reader, head & 3);
    if (command === COMMAND.create) this.#create(channel, reader.rest().toString('latin1'));
    else if (command === COMMAND.close) {
      if (channel === this.#channel) this.#channel = undefined;
    } else if (command === COMMAND.data && channel === this.#channel) this.#display(reader);
    // Data of refused channels and messages in parts, which display control does not have.
  }

  #create(channel: number, name: string): void {
    const isWanted = name === `${DISPLAY_CONTROL}\0` && this.#channel === undefined;
    if (isWanted) this.#channel = channel;
    this.#send(COMMAND.create, channel, u32(isWanted ? ACCEPTED : REFUSED));
  }

  #display(reader: ByteReader): void {
    if (reader.u32() !== DISPLAY.capabilities) return;
    reader.u32();
    const monitors = reader.u32();
    // Numbers of the server, which only limit what we ask for.
    const before = this.#maxPixels;
    this.#maxPixels = monitors * reader.u32() * reader.u32();
    if (before === 0 && this.#maxPixels > 0) this.#ends.resizable();
  }

  #send(command: number, channel: number, data: Buffer): void {
    this.#piece(Buffer.concat([Buffer.from([(command << 4) | 2]), u32(channel), data]));
  }

  #piece(message: Buffer): void {
    for (const piece of channelPieces(message)) this.#ends.toServer(piece);
  }
}

const isSame = (one: ScreenSize, other: ScreenSize) =>
  one.width === other.width && one.height === other.height;

/** Reads an id of one, two or four bytes. */
function readId(reader: ByteReader, length: number): number {
  if (length === 0) return reader.u8();
  return length === 1 ? reader.u16() : reader.u32();
}
