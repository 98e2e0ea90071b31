import type { DesktopColors } from '@sallyport/contract';
import { BadPdu } from './bad-pdu.ts';
import { ByteReader, u16be } from './byte-reader.ts';
import { INFO_PACKET } from './client-info.ts';
import {
  CLIPBOARD_CHANNEL,
  type ClipboardEnds,
  ClipboardFilter,
  type PassRights,
} from './clipboard/clipboard.ts';
import { withConsole } from './console.ts';
import { ServerUpdates } from './fast-path.ts';
import { ClientInput, type PersonInput } from './input.ts';
import { MCS, mcsOf, readChannelData, tpkt, writeChannelData } from './mcs.ts';
import { SECURITY } from './negotiation.ts';
import { rewriteConnectInitial, rewriteConnectResponse, type ScreenSize } from './settings.ts';
import {
  DATA,
  readShare,
  refreshBody,
  rewriteConfirmActive,
  SHARE,
  type SharePdu,
  shareIdOf,
  writeData,
} from './share.ts';

/** What a relay needs to know. */
export interface RelayOptions {
  /** What the server chose when the connection began. */
  readonly protocol: number;
  readonly size: ScreenSize;
  readonly colors: DesktopColors;
  readonly keyboardLayout: number;
  /** What may pass through the clipboard. */
  readonly passes: PassRights;
  /** The message that signs in; sent in place of the browser's, and then forgotten. */
  readonly clientInfo: Buffer;
  /** The console of the server is wanted, and not a session of its own. */
  readonly isConsole?: boolean;
}

/** Where the relay sends what it lets pass. */
export interface RelayEnds extends Pick<ClipboardEnds, 'files' | 'uploads' | 'downloads'> {
  toServer(pdu: Buffer): void;
  toBrowser(pdu: Buffer): void;
  /** A PDU that a picture needs: for the recording and for those who watch. */
  picture(pdu: Buffer): void;
  /** The person did something. */
  input(done: PersonInput): void;
  /** The server says goodbye. */
  goodbye(): void;
}

/** Licenses come as a few messages before the desktop (MS-RDPELE). */
const LICENSE = 0x0080;
const MAX_LICENSE_MESSAGES = 16;
const FIRST_USER = 1001;
/** What a browser may send of a share, and what a server may. */
const BROWSER_DATA: ReadonlySet<number> = new Set([
  DATA.control,
  DATA.synchronize,
  DATA.fontList,
  DATA.shutdownRequest,
]);
const SERVER_DATA: ReadonlySet<number> = new Set([
  DATA.control,
  DATA.synchronize,
  DATA.fontMap,
  DATA.errorInfo,
  DATA.shutdownDenied,
]);
/** What is left out: the cookie to come back with, sounds, lights of the keyboard, pauses of the picture, bitmaps of another session. */
const LEFT_OUT: ReadonlySet<number> = new Set([
  DATA.saveSessionInfo,
  DATA.playSound,
  DATA.keyboardIndicators,
  DATA.statusInfo,
  DATA.suppressOutput,
  DATA.persistentBitmaps,
  DATA.refresh,
  55,
]);

/**
 * Is between a browser and a server from the first settings on (MS-RDPBCGR 1.3.1.1). Each PDU is known, checked and, where it matters, written again; anything else is a `BadPdu`, which ends the
 * session. The browser's sign-in is replaced by ours as a whole.
 */
export class RdpRelay {
  readonly #ends: RelayEnds;
  readonly #options: RelayOptions;
  readonly #clipboard: ClipboardFilter;
  readonly #updates = new ServerUpdates();
  readonly #input = new ClientInput();
  #clientInfo: Buffer | undefined;
  #phase: 'settings' | 'answer' | 'joining' | 'license' | 'active' = 'settings';
  #names: readonly (string | undefined)[] = [];
  #channels: readonly number[] = [];
  #io = 0;
  #user = 0;
  #licenses = 0;
  #share: { readonly shareId: number; readonly source: number } | undefined;
  /** What somebody who comes later needs first: the answers of the server until its desktop was ready. */
  #beginning: Buffer[] = [];
  #activation: Buffer[] = [];
  #isReady = false;

  constructor(options: RelayOptions, ends: RelayEnds) {
    this.#options = options;
    this.#ends = ends;
    this.#clientInfo = options.clientInfo;
    this.#clipboard = new ClipboardFilter(options.passes, {
      ...ends,
      toServer: (piece) => ends.toServer(this.#onClipboard(MCS.sendRequest, piece)),
      toBrowser: (piece) => ends.toBrowser(this.#onClipboard(MCS.sendIndication, piece)),
    });
  }

  setRights(rights: PassRights): void {
    this.#clipboard.setRights(rights);
  }

  /** The PDUs that begin the picture for somebody who comes now; none while it is not there yet. */
  beginning(): readonly Buffer[] {
    return this.#isReady ? [...this.#beginning, ...this.#activation] : [];
  }

  /** Asks the server for all of the picture. */
  refresh(): void {
    const { width, height } = this.#options.size;
    if (this.#isReady && this.#share)
      this.#toIo(writeData(DATA.refresh, this.#share, refreshBody(width, height)));
  }

  /** Takes a PDU of the browser. @throws BadPdu */
  fromBrowser(pdu: Buffer): void {
    if (pdu.readUInt8(0) !== 3) {
      if (this.#phase !== 'active') throw new BadPdu('the browser sends input too early');
      const done = this.#input.read(pdu);
      this.#ends.toServer(pdu);
      this.#ends.input(done);
      return;
    }
    const mcs = mcsOf(pdu);
    switch (mcs.readUInt8(0)) {
      case MCS.connect:
        this.#askedSettings(mcs);
        break;
      case MCS.erectDomain:
        this.#joinsOnly();
        this.#ends.toServer(tpkt(Buffer.from([MCS.erectDomain, 1, 0, 1, 0])));
        break;
      case MCS.attachUser:
        this.#joinsOnly();
        this.#ends.toServer(tpkt(Buffer.from([MCS.attachUser])));
        break;
      case MCS.joinRequest:
        this.#join(new ByteReader(mcs));
        break;
      case MCS.sendRequest: {
        const { channel, data } = readChannelData(mcs);
        if (this.#user === 0) throw new BadPdu('the browser sends data before it is a user');
        if (channel === this.#io) this.#browserData(data);
        else this.#channelData('client', channel, data);
        break;
      }
      case MCS.disconnect:
        this.#ends.toServer(tpkt(Buffer.from([MCS.disconnect, 0x80])));
        break;
      default:
        throw new BadPdu('the browser sent a message that is unknown');
    }
  }

  /** Takes a PDU of the server. @throws BadPdu */
  fromServer(pdu: Buffer): void {
    if (pdu.readUInt8(0) !== 3) {
      if (this.#phase !== 'active') throw new BadPdu('the server shows something too early');
      for (const shown of this.#updates.readFastPath(pdu)) this.#show(shown);
      return;
    }
    const mcs = mcsOf(pdu);
    switch (mcs.readUInt8(0)) {
      case MCS.connect:
        this.#answeredSettings(pdu, mcs);
        break;
      case MCS.attachConfirm:
        this.#attached(pdu, mcs);
        break;
      case MCS.joinConfirm:
        this.#joinsOnly();
        this.#ends.toBrowser(pdu);
        break;
      case MCS.sendIndication: {
        const { channel, data } = readChannelData(mcs);
        if (this.#user === 0) throw new BadPdu('the server sends data before there is a user');
        if (channel === this.#io) this.#serverData(data);
        else this.#channelData('server', channel, data);
        break;
      }
      case MCS.disconnect:
        this.#ends.toBrowser(pdu);
        this.#ends.goodbye();
        break;
      default:
        throw new BadPdu('the server sent a message that is unknown');
    }
  }

  #askedSettings(mcs: Buffer): void {
    if (this.#phase !== 'settings') throw new BadPdu('the browser begins a second time');
    const copy = Buffer.from(mcs);
    this.#names = rewriteConnectInitial(copy, {
      ...this.#options,
      clientName: 'sallyport',
      allowed: new Set([CLIPBOARD_CHANNEL]),
    });
    this.#phase = 'answer';
    this.#ends.toServer(tpkt(this.#options.isConsole ? withConsole(copy) : copy));
  }

  #answeredSettings(pdu: Buffer, mcs: Buffer): void {
    if (this.#phase !== 'answer') throw new BadPdu('the server answers what was not asked');
    const { io, channels } = rewriteConnectResponse(mcs, this.#names.length, SECURITY.tls);
    this.#io = io;
    this.#channels = channels;
    this.#phase = 'joining';
    this.#begin(pdu);
  }

  #attached(pdu: Buffer, mcs: Buffer): void {
    this.#joinsOnly();
    const reader = new ByteReader(mcs);
    reader.u8();
    if (this.#user !== 0 || reader.u8() !== 0) throw new BadPdu('the server lets nobody in');
    this.#user = reader.u16be() + FIRST_USER;
    if (this.#user > 0xffff)
      throw new BadPdu('the server gives a number that is not one of a user');
    this.#begin(pdu);
  }

  #begin(pdu: Buffer): void {
    this.#beginning.push(pdu);
    this.#ends.picture(pdu);
    this.#ends.toBrowser(pdu);
  }

  #join(reader: ByteReader): void {
    this.#joinsOnly();
    reader.bytes(3);
    const channel = reader.u16be();
    if (this.#user === 0 || ![this.#user, this.#io, ...this.#channels].includes(channel))
      throw new BadPdu('the browser joins a channel that is not there');
    this.#ends.toServer(
      tpkt(Buffer.from([MCS.joinRequest]), u16be(this.#user - FIRST_USER), u16be(channel)),
    );
  }

  #joinsOnly(): void {
    if (this.#phase !== 'joining') throw new BadPdu('channels are joined at the beginning');
  }

  #browserData(data: Buffer): void {
    if (this.#phase === 'joining') {
      // The first data that a browser sends is its sign-in. Nothing of it is passed on.
      const info = this.#clientInfo;
      if (!info || data.length < 4 || (data.readUInt16LE(0) & INFO_PACKET) === 0)
        throw new BadPdu('the browser does not sign in');
      this.#clientInfo = undefined;
      this.#phase = 'license';
      this.#toIo(info);
    } else if (this.#phase === 'license') {
      this.#license(data);
      this.#toIo(data);
    } else for (const share of readShare(data)) this.#browserShare(share);
  }

  #browserShare(share: SharePdu): void {
    const { kind, data } = share;
    if (kind === SHARE.confirmActive) this.#toIo(rewriteConfirmActive(share, this.#options.colors));
    else if (data && BROWSER_DATA.has(data.kind)) this.#toIo(share.bytes);
    else if (!data || !LEFT_OUT.has(data.kind))
      throw new BadPdu('the browser sent a PDU that is not passed on');
  }

  #serverData(data: Buffer): void {
    if (this.#phase === 'license' && isLicense(data)) {
      this.#license(data);
      this.#toBrowser(data);
    } else if (this.#phase === 'license' || this.#phase === 'active')
      for (const share of readShare(data)) this.#serverShare(share);
    else throw new BadPdu('the server sends data too early');
  }

  #serverShare(share: SharePdu): void {
    const { kind, data, bytes } = share;
    if (kind === SHARE.demandActive) {
      this.#share = { shareId: shareIdOf(share), source: this.#user };
      this.#phase = 'active';
      this.#isReady = false;
      this.#activation = [];
      this.#activate(bytes);
    } else if (this.#phase !== 'active') throw new BadPdu('the server shows something too early');
    else if (kind === SHARE.deactivateAll) {
      this.#ends.picture(this.#toBrowser(bytes));
    } else if (data?.kind === DATA.update)
      for (const shown of this.#updates.readUpdate(data.body)) this.#show(shown);
    else if (data?.kind === DATA.pointer)
      for (const shown of this.#updates.readPointer(data.body)) this.#show(shown);
    else if (data && SERVER_DATA.has(data.kind)) {
      if (!this.#isReady && data.kind !== DATA.errorInfo) this.#activate(bytes);
      else this.#toBrowser(bytes);
      if (data.kind === DATA.fontMap) this.#isReady = true;
    } else if (!data || !LEFT_OUT.has(data.kind))
      throw new BadPdu('the server sent a PDU that is not passed on');
  }

  /** Part of the beginning of a picture. */
  #activate(bytes: Buffer): void {
    const pdu = this.#toBrowser(bytes);
    if (this.#activation.push(pdu) > 16) throw new BadPdu('the server begins without end');
    this.#ends.picture(pdu);
  }

  #license(data: Buffer): void {
    if (!isLicense(data) || ++this.#licenses > MAX_LICENSE_MESSAGES)
      throw new BadPdu('a license is not one');
  }

  #channelData(from: 'client' | 'server', channel: number, data: Buffer): void {
    const index = this.#channels.indexOf(channel);
    if (index < 0) throw new BadPdu('data comes for a channel that is not there');
    // The browser does not know that its other channels are closed.
    if (this.#names[index] === CLIPBOARD_CHANNEL) this.#clipboard.read(from, data);
  }

  #onClipboard(kind: typeof MCS.sendRequest | typeof MCS.sendIndication, data: Buffer): Buffer {
    const channel = this.#channels[this.#names.indexOf(CLIPBOARD_CHANNEL)] ?? 0;
    return writeChannelData(kind, { initiator: this.#user - FIRST_USER, channel, data });
  }

  #show(pdu: Buffer): void {
    this.#ends.toBrowser(pdu);
    this.#ends.picture(pdu);
  }

  #toIo(data: Buffer): void {
    this.#ends.toServer(
      writeChannelData(MCS.sendRequest, {
        initiator: this.#user - FIRST_USER,
        channel: this.#io,
        data,
      }),
    );
  }

  #toBrowser(data: Buffer): Buffer {
    const pdu = writeChannelData(MCS.sendIndication, { initiator: 1, channel: this.#io, data });
    this.#ends.toBrowser(pdu);
    return pdu;
  }
}

/** Whether data is a license: its flags say so, and it has the length that a license says of itself (MS-RDPELE 2.2.2). */
function isLicense(data: Buffer): boolean {
  return (
    data.length >= 8 &&
    (data.readUInt16LE(0) & LICENSE) !== 0 &&
    data.readUInt16LE(6) === data.length - 4
  );
}
