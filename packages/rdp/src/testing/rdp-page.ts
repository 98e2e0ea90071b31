import { der } from '../der.ts';
import { PduReader } from '../framing.ts';
import { MCS, readChannelData, tpkt, writeChannelData } from '../mcs.ts';
import { readShare, SHARE, shareIdOf, writeData } from '../share.ts';

/** PDUs of a page in the form of IronRDP, with a dummy account. */

const number16 = (value: number) => Buffer.from([value & 255, value >> 8]);
const number32 = (value: number) =>
  Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24]);
const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
const perLength = (length: number) => Buffer.from([0x80 | (length >> 8), length & 255]);
const block = (kind: number, content: Buffer) =>
  Buffer.concat([number16(kind), number16(content.length + 4), content]);

/** Channel names that a page requests. */
export const PAGE_CHANNELS = ['cliprdr', 'rdpsnd', 'drdynvc'];

/** The Connect Initial (MS-RDPBCGR 2.2.1.3); tests may add wrong blocks. */
export function connectInitial(
  more: readonly Buffer[] = [],
  channels: readonly string[] = PAGE_CHANNELS,
): Buffer {
  const core = Buffer.alloc(212);
  core.writeUInt32LE(0x0008_0004, 0);
  core.writeUInt16LE(640, 4);
  core.writeUInt16LE(480, 6);
  core.writeUInt16LE(0xca01, 8);
  core.writeUInt16LE(0xaa03, 10);
  core.write('page', 20, 'utf16le');
  core.writeUInt32LE(4, 52);
  core.writeUInt32LE(12, 60);
  core.writeUInt16LE(0xca01, 128);
  core.writeUInt16LE(1, 130);
  core.writeUInt16LE(16, 136);
  core.writeUInt16LE(0x000f, 138);
  core.writeUInt16LE(0x0829, 140);
  core.writeUInt32LE(1, 208);
  const list = Buffer.concat([
    number32(channels.length),
    ...channels.map((name) =>
      Buffer.concat([Buffer.from(name.padEnd(8, '\0')), number32(0xc0000000)]),
    ),
  ]);
  const settings = Buffer.concat([
    block(0xc001, core),
    block(0xc002, Buffer.alloc(8, 3)),
    block(0xc003, list),
    ...more,
  ]);
  const conference = Buffer.concat([
    hex('000800100001c000'),
    Buffer.from('Duca'),
    perLength(settings.length),
    settings,
  ]);
  const userData = Buffer.concat([hex('000500147c0001'), perLength(conference.length), conference]);
  const parameters = (values: string) =>
    der(0x30, ...values.split(' ').map((value) => der(2, hex(value))));
  const content = [
    hex('040101 040101 0101ff'),
    parameters('22 02 00 01 00 01 00ffff 02'),
    parameters('01 01 01 01 00 01 0420 02'),
    parameters('00ffff 00fc17 00ffff 01 00 01 00ffff 02'),
    der(4, userData),
  ];
  const whole = der(0x30, ...content);
  // An application tag of two bytes.
  return tpkt(Buffer.from([0x7f, 0x65]), whole.subarray(1));
}

export const ERECT_DOMAIN = tpkt(hex('0401000100'));
export const ATTACH_USER = tpkt(hex('28'));
export const joinRequest = (user: number, channel: number) =>
  tpkt(
    Buffer.from([MCS.joinRequest]),
    Buffer.from([0, user - 1001]),
    Buffer.from([channel >> 8, channel & 255]),
  );
const sent = (user: number, channel: number, data: Buffer) =>
  writeChannelData(MCS.sendRequest, { initiator: user - 1001, channel, data });

/** The page's dummy account, which the server must never receive. */
export const DUMMY = 'dummy-of-the-page';
export function dummyInfo(user: number, io: number): Buffer {
  const name = Buffer.from(DUMMY, 'utf16le');
  const lengths = [0, name.length, name.length, 0, 0].map(number16);
  const texts = [Buffer.alloc(0), name, name, Buffer.alloc(0), Buffer.alloc(0)].flatMap((text) => [
    text,
    number16(0),
  ]);
  return sent(
    user,
    io,
    Buffer.concat([number16(0x40), number16(0), number32(0), number32(0x73), ...lengths, ...texts]),
  );
}

/** A licensing answer of a client without a license (MS-RDPELE 2.2.2.2). */
export function licenseAnswer(user: number, io: number): Buffer {
  const message = Buffer.concat([
    Buffer.from([0xff, 3]),
    number16(16),
    number32(7),
    number32(2),
    hex('04000000'),
  ]);
  return sent(user, io, Buffer.concat([number16(0x80), number16(0), message]));
}

/**
 * The page's capabilities, including RemoteFX, and the PDUs that follow until the desktop is ready.
 */
export function confirmations(user: number, io: number, shareId: number): Buffer[] {
  const set = (
    kind: number,
    length: number,
    fields: readonly (readonly [number, number])[] = [],
  ) => {
    const content = Buffer.alloc(length);
    content.writeUInt16LE(kind, 0);
    content.writeUInt16LE(length, 2);
    for (const [at, value] of fields) content.writeUInt16LE(value, at);
    return content;
  };
  const sets = [
    set(1, 24, [
      [4, 1],
      [6, 3],
      [8, 0x200],
      [14, 0x041d],
    ]),
    set(2, 28, [
      [4, 16],
      [6, 1],
      [8, 1],
      [10, 1],
      [12, 640],
      [14, 480],
      [18, 1],
      [20, 1],
      [24, 1],
    ]),
    set(3, 88, [[34, 0x0a]]),
    set(8, 10, [
      [4, 1],
      [6, 20],
      [8, 20],
    ]),
    set(13, 88, [
      [4, 0x35],
      [8, 0x409],
      [12, 4],
    ]),
    set(28, 12),
    set(29, 5),
    set(30, 8),
  ];
  const body = Buffer.concat([
    number32(shareId),
    number16(1002),
    number16(4),
    number16(sets.reduce((sum, one) => sum + one.length, 4)),
    hex('50414745'),
    number16(sets.length),
    number16(0),
    ...sets,
  ]);
  const confirm = Buffer.concat([number16(body.length + 6), number16(0x13), number16(user), body]);
  const share = { shareId, source: user };
  const data = (kind: number, content: string) => writeData(kind, share, hex(content));
  return [
    confirm,
    data(31, '0100ea03'),
    data(20, '0400000000000000'),
    data(20, '0100000000000000'),
    data(39, '0000000003003200'),
  ].map((bytes) => sent(user, io, bytes));
}

/** Fast-path input: a key press with release, and a click. */
export const pressKey = (code: number) => Buffer.from([0x08, 6, 0x00, code, 0x01, code]);
export const click = (x: number, y: number) => {
  const event = (flags: number) =>
    Buffer.concat([Buffer.from([0x20]), number16(flags), number16(x), number16(y)]);
  return Buffer.concat([Buffer.from([0x08, 16]), event(0x9000), event(0x1000)]);
};

/** A page that establishes a desktop connection automatically, and keeps the received data. */
export class RdpPage {
  readonly got: Buffer[] = [];
  /** Fast-path PDUs with updates. */
  readonly updates: Buffer[] = [];
  user = 0;
  io = 0;
  shareId = 0;
  channels: number[] = [];
  isReady = false;
  /** Receives the data of all channels except I/O, by channel name. */
  onChannel: ((name: string, data: Buffer) => void) | undefined;
  readonly #send: (bytes: Buffer) => void;
  readonly #reader = new PduReader();
  #joins = 0;

  constructor(send: (bytes: Buffer) => void) {
    this.#send = send;
  }

  begin(): void {
    this.#send(connectInitial());
  }

  /** Sends data on a channel. */
  say(name: string, data: Buffer): void {
    this.#send(sent(this.user, this.channels[PAGE_CHANNELS.indexOf(name)] ?? 0, data));
  }

  /** Feeds bytes of the gateway. */
  take(bytes: Buffer): void {
    this.got.push(Buffer.from(bytes));
    for (const pdu of this.#reader.push(bytes)) this.#read(pdu);
  }

  #read(pdu: Buffer): void {
    if (pdu[0] !== 3) {
      this.updates.push(pdu);
      return;
    }
    const kind = pdu[7];
    if (kind === MCS.connect) {
      const at = pdu.indexOf(hex('030c'));
      this.io = pdu.readUInt16LE(at + 4);
      this.channels = Array.from({ length: pdu.readUInt16LE(at + 6) }, (_, index) =>
        pdu.readUInt16LE(at + 8 + index * 2),
      );
      this.#send(ERECT_DOMAIN);
      this.#send(ATTACH_USER);
    } else if (kind === MCS.attachConfirm) {
      this.user = pdu.readUInt16BE(9) + 1001;
      this.#joins = this.channels.length + 2;
      for (const channel of [this.user, this.io, ...this.channels])
        this.#send(joinRequest(this.user, channel));
    } else if (kind === MCS.joinConfirm) {
      if (--this.#joins === 0) this.#send(dummyInfo(this.user, this.io));
    } else if (kind === MCS.sendIndication) {
      const { channel, data } = readChannelData(pdu.subarray(7));
      if (channel === this.io) this.#data(data);
      else this.onChannel?.(PAGE_CHANNELS[this.channels.indexOf(channel)] ?? '', data);
    }
  }

  #data(data: Buffer): void {
    if (this.shareId === 0 && data.readUInt16LE(0) === 0x80) {
      if (data[4] !== 0xff) this.#send(licenseAnswer(this.user, this.io));
      return;
    }
    for (const share of readShare(data)) {
      if (share.kind === SHARE.demandActive) {
        this.shareId = shareIdOf(share);
        for (const pdu of confirmations(this.user, this.io, this.shareId)) this.#send(pdu);
      } else if (share.data?.kind === 40) this.isReady = true;
    }
  }
}
