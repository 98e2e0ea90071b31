import { BadPdu, ByteReader, u16be } from './byte-reader.ts';
import { Channels } from './channels.ts';
import { INFO_PACKET } from './client-info.ts';
import { CLIPBOARD_CHANNEL, ClipboardFilter, type PassRights } from './clipboard/clipboard.ts';
import { withConsole } from './console.ts';
import { DisplayControl, DYNAMIC_CHANNEL } from './display-control.ts';
import { DriveChannel } from './drive/drive-channel.ts';
import { DRIVE_CHANNEL, SOUND_CHANNEL } from './drive/drive-messages.ts';
import { ClientInput } from './input.ts';
import { MCS, mcsOf, readChannelData, type SendKind, tpkt, writeChannelData } from './mcs.ts';
import { SECURITY } from './negotiation.ts';
import type { RelayEnds, RelayOptions } from './relay-options.ts';
import { rewriteConnectInitial, rewriteConnectResponse, type ScreenSize } from './settings.ts';
import { ShareRelay } from './share-relay.ts';

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
  readonly #drive: DriveChannel | undefined;
  readonly #input = new ClientInput();
  #clientInfo: Buffer | undefined;
  #phase: 'settings' | 'answer' | 'joining' | 'sharing' = 'settings';
  readonly #channels = new Channels();
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
      toServer: (piece) => this.#send(DYNAMIC_CHANNEL, piece),
    });
    this.#clipboard = new ClipboardFilter(options.passes, options.fileLimits, {
      ...ends,
      toServer: (piece) => this.#send(CLIPBOARD_CHANNEL, piece),
      toBrowser: (piece) =>
        ends.toBrowser(this.#onChannel(CLIPBOARD_CHANNEL, MCS.sendIndication, piece)),
    });
    const { drive, passes } = options;
    if (drive)
      this.#drive = new DriveChannel(drive.folder, passes.files.download, {
        ready: () => drive.ready(),
        accepted: () => drive.accepted(),
        changed: () => drive.changed(),
        failed: (error) => drive.failed(error),
        toServer: (piece) => this.#send(DRIVE_CHANNEL, piece),
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
    this.#drive?.allowWrites(rights.files.download);
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
        if (!this.#channels.isOwnConfirmation(confirmedChannel(mcs))) this.#ends.toBrowser(pdu);
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
    const rewritten = rewriteConnectInitial(Buffer.from(mcs), {
      ...this.#options,
      clientName: 'sallyport',
      allowed: new Set([CLIPBOARD_CHANNEL, DYNAMIC_CHANNEL]),
      own: this.#drive ? [DRIVE_CHANNEL, SOUND_CHANNEL] : [],
    });
    this.#channels.requested(rewritten.names);
    this.#phase = 'answer';
    const { isConsole = false } = this.#options;
    this.#ends.toServer(tpkt(isConsole ? withConsole(rewritten.mcs) : rewritten.mcs));
  }

  #takeResponse(pdu: Buffer, mcs: Buffer): void {
    if (this.#phase !== 'answer') throw new BadPdu('the server answers what was not asked');
    const { io, channels } = rewriteConnectResponse(mcs, this.#channels.names, SECURITY.tls);
    this.#io = io;
    this.#channels.numbered(channels);
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
    for (const channel of this.#channels.joinOwn()) this.#ends.toServer(this.#joinRequest(channel));
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
    const isKnown =
      channel === this.#user || channel === this.#io || this.#channels.isOfBrowser(channel);
    if (this.#user === 0 || !isKnown)
      throw new BadPdu('the browser joins a channel that is not there');
    this.#ends.toServer(this.#joinRequest(channel));
  }

  #joinRequest(channel: number): Buffer {
    return tpkt(Buffer.from([MCS.joinRequest]), u16be(this.#user - FIRST_USER), u16be(channel));
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
    const name = this.#channels.nameOf(from, channel);
    // Drop data of sound, and of closed channels: the browser does not know that they are closed.
    if (name === CLIPBOARD_CHANNEL) this.#clipboard.read(from, data);
    // The browser has no dynamic channels: only the gateway speaks on this one.
    else if (name === DYNAMIC_CHANNEL && from === 'server') this.#display.read(data);
    else if (name === DRIVE_CHANNEL) this.#drive?.read(data);
  }

  #onChannel(name: string, kind: SendKind, data: Buffer): Buffer {
    const channel = this.#channels.idOf(name);
    return writeChannelData(kind, { initiator: this.#user - FIRST_USER, channel, data });
  }

  #send(name: string, piece: Buffer): void {
    this.#ends.toServer(this.#onChannel(name, MCS.sendRequest, piece));
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

/** The channel that was requested (T.125, ChannelJoinConfirm). @throws BadPdu */
function confirmedChannel(mcs: Buffer): number {
  const reader = new ByteReader(mcs);
  reader.bytes(4);
  return reader.u16be();
}
