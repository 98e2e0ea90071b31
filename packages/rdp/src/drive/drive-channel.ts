import { setImmediate as turn } from 'node:timers/promises';
import { BadPdu, ByteReader, u16, u32 } from '../byte-reader.ts';
import { ChannelReader, channelPieces } from '../static-channel.ts';
import type { DriveFolder } from './drive-folder.ts';
import {
  clientCapabilities,
  clientName,
  completion,
  deviceList,
  isCore,
  PACKET,
  packet,
} from './drive-messages.ts';
import { DriveRequests } from './drive-requests.ts';

/** A write of a server: Windows sends at most 64 KiB, and other servers 1 MiB. */
const MAX_MESSAGE = 1024 * 1024 + 4096;
/** Requests and their bytes that may wait. Servers have few open requests. */
const MAX_WAITING = 512;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const MAX_BEGINNINGS = 64;
const [GENERAL, WAITS_FOR_USER] = [1, 4] as const;

export interface DriveEnds {
  /** Sends a piece of the static channel. */
  toServer(piece: Buffer): void;
  /** Settles when the server has read enough for the next answer. */
  ready(): Promise<void>;
  /** The server shows the folder as a drive. May be called again. */
  accepted(): void;
  /** The desktop changed the folder. */
  changed(): void;
  /** A request that a later turn reads is invalid. */
  failed(error: unknown): void;
}

/** The client of MS-RDPEFS that shows a folder of the gateway as a drive. */
export class DriveChannel {
  readonly #ends: DriveEnds;
  readonly #pieces = new ChannelReader(MAX_MESSAGE);
  readonly #requests: DriveRequests;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isBusy = false;
  #beginnings = 0;
  #waitsForUser = false;
  #isAnnounced = false;

  /** `isWritable`: the desktop may put files into the folder. */
  constructor(folder: DriveFolder, isWritable: boolean, ends: DriveEnds) {
    this.#ends = ends;
    this.#requests = new DriveRequests(folder, isWritable, () => ends.changed());
  }

  allowWrites(isWritable: boolean): void {
    this.#requests.isWritable = isWritable;
  }

  /** Reads a piece of the server. @throws BadPdu */
  read(piece: Buffer): void {
    const message = this.#pieces.push(piece);
    if (!message) return;
    const reader = new ByteReader(message);
    // Packets of printers have another component.
    if (!isCore(reader.u16())) return;
    const kind = reader.u16();
    if (kind === PACKET.request) this.#request(reader.rest());
    else if (kind === PACKET.announce) this.#begin(reader);
    else if (kind === PACKET.serverCapabilities) {
      this.#waitsForUser = waitsForUser(reader);
      this.#send(clientCapabilities());
    } else if (kind === PACKET.clientId) {
      if (!this.#waitsForUser) this.#announce();
    } else if (kind === PACKET.loggedOn) this.#announce();
    else if (kind === PACKET.deviceReply) this.#accepted(reader);
  }

  #begin(reader: ByteReader): void {
    if (++this.#beginnings > MAX_BEGINNINGS)
      throw new BadPdu('the server begins its devices without end');
    reader.u32();
    const id = reader.u32();
    this.#isAnnounced = false;
    this.#requests.reset();
    this.#send(packet(PACKET.clientId, u16(1), u16(12), u32(id)));
    this.#send(clientName());
  }

  #announce(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.#send(deviceList());
  }

  #accepted(reader: ByteReader): void {
    reader.u32();
    if (reader.u32() === 0 && this.#isAnnounced) this.#ends.accepted();
  }

  #request(request: Buffer): void {
    this.#waiting.push(request);
    this.#waitingBytes += request.length;
    if (this.#waiting.length > MAX_WAITING || this.#waitingBytes > MAX_WAITING_BYTES)
      throw new BadPdu('too many requests for files wait');
    if (this.#isBusy) return;
    this.#isBusy = true;
    void this.#work().catch((error: unknown) => this.#ends.failed(error));
  }

  /**
   * Answers the requests in their order, as fast as the server reads, and one in each turn of the
   * event loop: most need no disk.
   */
  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#waitingBytes -= next.length;
      const reader = new ByteReader(next);
      reader.u32();
      const [fileId, id, major, minor] = [reader.u32(), reader.u32(), reader.u32(), reader.u32()];
      const result = await this.#requests.answer(fileId, major, minor, reader);
      await this.#ends.ready();
      if (result) this.#send(completion(id, result.status, result.body));
      await turn();
    }
    this.#isBusy = false;
  }

  #send(message: Buffer): void {
    for (const piece of channelPieces(message)) this.#ends.toServer(piece);
  }
}

/** Returns true if the server says when the user has signed in (MS-RDPEFS 2.2.2.7.1). */
function waitsForUser(reader: ByteReader): boolean {
  const count = reader.u16();
  reader.u16();
  for (let index = 0; index < count && reader.left > 0; index++) {
    const kind = reader.u16();
    const length = reader.u16();
    if (length < 8) throw new BadPdu('a capability of devices is too short');
    const body = new ByteReader(reader.bytes(length - 4));
    if (kind !== GENERAL) continue;
    body.bytes(24);
    return (body.u32() & WAITS_FOR_USER) !== 0;
  }
  return false;
}
