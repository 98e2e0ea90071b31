import { BadPdu, ByteReader, u16be } from './byte-reader.ts';
import { INFO_PACKET } from './client-info.ts';
import {
  CLIPBOARD_CHANNEL,
  type ClipboardEnds,
  ClipboardFilter,
  type PassRights,
} from './clipboard/clipboard.ts';
import type { FileLimits } from './clipboard/file-flow.ts';
import { withConsole } from './console.ts';
import { DisplayControl, type DisplayControlEnds, DYNAMIC_CHANNEL } from './display-control.ts';
import { ClientInput, type PersonInput } from './input.ts';
import { MCS, mcsOf, readChannelData, type SendKind, tpkt, writeChannelData } from './mcs.ts';
import { SECURITY } from './negotiation.ts';
import {
  type Colors,
  rewriteConnectInitial,
  rewriteConnectResponse,
  type ScreenSize,
} from './settings.ts';
import { ShareRelay } from './share-relay.ts';

export interface RelayOptions {
  /** The security protocol that the server chose. */
  readonly protocol: number;
  readonly size: ScreenSize;
  readonly colors: Colors;
  readonly keyboardLayout: number;
  readonly passes: PassRights;
  readonly fileLimits: FileLimits;
  /** The Client Info PDU that replaces the browser's; dropped after sending. */
  readonly clientInfo: Buffer;
  /** Requests the server's console instead of a new session. */
  readonly isConsole?: boolean;
}

/** Receivers of permitted PDUs and of reports. */
export interface RelayEnds
  extends Pick<ClipboardEnds, 'files' | 'uploads' | 'downloads'>,
    Pick<DisplayControlEnds, 'resizable' | 'resized'> {
  toServer(pdu: Buffer): void;
  toBrowser(pdu: Buffer): void;
  /** A PDU of the picture, for the recording and for watchers; `isSetup` if it draws nothing. */
  picture(pdu: Buffer, isSetup?: boolean): void;
  input(userInput: PersonInput): void;
  /** The server announced the end of the session. */
  goodbye(): void;
  /** The server named the reason of its end by a code of MS-RDPBCGR 2.2.5.1.1; 0 is none. */
  endReason(code: number): void;
}

const FIRST_USER = 1001;

/**
 * Relays PDUs between browser and server, starting with the MCS Connect exchange (MS-RDPBCGR
 * 1.3.1.1). Every PDU is parsed, validated and partly rewritten; unknown ones end the session with
 * `BadPdu`. The browser's sign-in is replaced completely.
 */
export class RdpRelay {
  readonly #ends: RelayEnds;
  readonly #options: RelayOptions;
  readonly #clipboard: ClipboardFilter;
  readonly #share: ShareRelay;
  readonly #display: DisplayControl;
  readonly #input = new ClientInput();
  #clientInfo: Buffer | undefined;
  #phase: 'settings' | 'answer' | 'joining' | 'sharing' = 'settings';
  #names: readonly (string | undefined)[] = [];
  #channels: readonly number[] = [];
  #io = 0;
  #user = 0;
  /** The server's setup PDUs, which later watchers need first. */
  #beginning: Buffer[] = [];

  constructor(options: RelayOptions, ends: RelayEnds) {
    this.#options = options;
    this.#ends = ends;
    this.#clientInfo = options.clientInfo;
    this.#display = new DisplayControl(options.size, {
      ...ends,
      toServer: (piece) => ends.toServer(this.#onChannel(DYNAMIC_CHANNEL, MCS.sendRequest, piece)),
    });
    this.#clipboard = new ClipboardFilter(options.passes, options.fileLimits, {
      ...ends,
      toServer: (piece) =>
        ends.toServer(this.#onChannel(CLIPBOARD_CHANNEL, MCS.sendRequest, piece)),
      toBrowser: (piece) =>
        ends.toBrowser(this.#onChannel(CLIPBOARD_CHANNEL, MCS.sendIndication, piece)),
    });
    this.#share = new ShareRelay(options.colors, {
      endReason: (code) => ends.endReason(code),
      resized: (size) => this.#display.follow(size),
      complete: () => this.refresh(),
      toServer: (data) => this.#toIo(data),
      toBrowser: (data) => this.#toBrowser(data),
      picture: (pdu) => ends.picture(pdu, true),
      show: (pdu) => this.#show(pdu),
    });
  }

  setRights(rights: PassRights): void {
    this.#clipboard.setRights(rights);
  }

  /** The setup PDUs for a new watcher; empty until the desktop is ready. */
  beginning(): readonly Buffer[] {
    const { activation } = this.#share;
    return activation ? [...this.#beginning, ...activation] : [];
  }

  /** Requests the full picture from the server. */
  refresh(): void {
    this.#share.refresh(this.#display.size);
  }

  /** Asks the server for another size of the desktop. `resized` follows if it agrees. */
  resize(size: ScreenSize): void {
    this.#display.resize(size);
  }

  /** Handles a PDU of the browser. @throws BadPdu */
  fromBrowser(pdu: Buffer): void {
    if (pdu.readUInt8(0) !== 3) {
      if (!this.#share.isActive) throw new BadPdu('the browser sends input too early');
      const userInput = this.#input.read(pdu);
      this.#ends.toServer(pdu);
      this.#ends.input(userInput);
      return;
    }
    const mcs = mcsOf(pdu);
    switch (mcs.readUInt8(0)) {
      case MCS.connect:
        this.#takeSettings(mcs);
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

  /** Handles a PDU of the server. @throws BadPdu */
  fromServer(pdu: Buffer): void {
    if (pdu.readUInt8(0) !== 3) {
      this.#share.fastPathFromServer(pdu);
      return;
    }
    const mcs = mcsOf(pdu);
    switch (mcs.readUInt8(0)) {
      case MCS.connect:
        this.#takeResponse(pdu, mcs);
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

  #takeSettings(mcs: Buffer): void {
    if (this.#phase !== 'settings') throw new BadPdu('the browser begins a second time');
    const copy = Buffer.from(mcs);
    this.#names = rewriteConnectInitial(copy, {
      ...this.#options,
      clientName: 'sallyport',
      allowed: new Set([CLIPBOARD_CHANNEL, DYNAMIC_CHANNEL]),
    });
    this.#phase = 'answer';
    this.#ends.toServer(tpkt(this.#options.isConsole ? withConsole(copy) : copy));
  }

  #takeResponse(pdu: Buffer, mcs: Buffer): void {
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
    this.#ends.picture(pdu, true);
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
      // The browser's first data is its Client Info; drop it and send ours.
      const info = this.#clientInfo;
      if (!info || data.length < 4 || (data.readUInt16LE(0) & INFO_PACKET) === 0)
        throw new BadPdu('the browser does not sign in');
      this.#clientInfo = undefined;
      this.#phase = 'sharing';
      this.#toIo(info);
    } else this.#share.fromBrowser(data);
  }

  #serverData(data: Buffer): void {
    if (this.#phase !== 'sharing') throw new BadPdu('the server sends data too early');
    this.#share.fromServer(data, this.#user);
  }

  #channelData(from: 'client' | 'server', channel: number, data: Buffer): void {
    const index = this.#channels.indexOf(channel);
    if (index < 0) throw new BadPdu('data comes for a channel that is not there');
    // Drop data of closed channels: the browser does not know that they are closed.
    if (this.#names[index] === CLIPBOARD_CHANNEL) this.#clipboard.read(from, data);
    // The browser has no dynamic channels: only the gateway speaks on this one.
    else if (this.#names[index] === DYNAMIC_CHANNEL && from === 'server') this.#display.read(data);
  }

  #onChannel(name: string, kind: SendKind, data: Buffer): Buffer {
    const channel = this.#channels[this.#names.indexOf(name)] ?? 0;
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
