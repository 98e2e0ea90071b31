import { BadPdu } from './byte-reader.ts';
import { ServerUpdates } from './fast-path.ts';
import { Reactivation } from './reactivation.ts';
import type { Colors, ScreenSize } from './settings.ts';
import {
  DATA,
  readShare,
  refreshBody,
  rewriteConfirmActive,
  SHARE,
  type SharePdu,
  shareIdOf,
  sizeOfShare,
  writeData,
  writeDeactivateAll,
} from './share.ts';

/** Licensing messages before the desktop appears, and their number from each side (MS-RDPELE). */
const LICENSE = 0x0080;
const MAX_LICENSE_MESSAGES = 16;
/**
 * A server begins the desktop again after a change of it. Each time costs the page and the server
 * some messages, so a server may do it this often in a minute.
 */
const MAX_BEGINNINGS = 200;
const BEGINNINGS_MS = 60_000;
/** Share data PDUs that a browser may send, and those that a server may send. */
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
/** Share data PDUs of the activation sequence, and the maximum number of its PDUs. */
const BEGINNING_DATA: ReadonlySet<number> = new Set([DATA.control, DATA.synchronize, DATA.fontMap]);
const MAX_ACTIVATION = 16;
/**
 * Dropped share data PDUs: auto-reconnect cookies, sounds, keyboard lights, output suppression,
 * persistent bitmaps.
 */
const DROPPED_DATA: ReadonlySet<number> = new Set([
  DATA.saveSessionInfo,
  DATA.playSound,
  DATA.keyboardIndicators,
  DATA.statusInfo,
  DATA.suppressOutput,
  DATA.persistentBitmaps,
  DATA.refresh,
  55,
]);

/** Receivers of permitted data on the I/O channel. */
export interface ShareEnds {
  toServer(data: Buffer): void;
  /** Sends data and returns the PDU around it. */
  toBrowser(data: Buffer): Buffer;
  /** The reason for which the server is about to end the session (MS-RDPBCGR 2.2.5.1.1). */
  endReason(code: number): void;
  /** A share begins, whose desktop has this size. */
  resized(size: ScreenSize): void;
  /** A later share is ready: the whole picture is needed. */
  complete(): void;
  /** A PDU that sets the picture up, for the recording and for watchers. */
  picture(pdu: Buffer): void;
  /** An update PDU, for the browser, the recording and watchers. */
  show(pdu: Buffer): void;
}

/** Relays the I/O channel after the sign-in: licensing, then the share with picture and input. */
export class ShareRelay {
  readonly #ends: ShareEnds;
  readonly #colors: Colors;
  readonly #updates = new ServerUpdates();
  /** Licensing messages of each side: a page answers those of its server. */
  readonly #licenses = { browser: 0, server: 0 };
  /** The times that the server began the desktop since `from`, in milliseconds. */
  #beginnings = { from: Number.NEGATIVE_INFINITY, count: 0 };
  #share: { readonly shareId: number; readonly source: number } | undefined;
  readonly #reactivation = new Reactivation();
  #activation: Buffer[] = [];
  /** The activation sequence of a later share, until it is complete. */
  #waiting: Buffer[] = [];
  #isActive = false;
  #isReady = false;

  constructor(colors: Colors, ends: ShareEnds) {
    this.#colors = colors;
    this.#ends = ends;
  }

  /** True once the server has sent its first Demand Active. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** The PDUs of the activation sequence; undefined until it is complete. */
  get activation(): readonly Buffer[] | undefined {
    return this.#isReady ? this.#activation : undefined;
  }

  /** Requests the full picture from the server. */
  refresh({ width, height }: ScreenSize): void {
    if (this.#isReady && this.#share)
      this.#ends.toServer(writeData(DATA.refresh, this.#share, refreshBody(width, height)));
  }

  /** @throws BadPdu */
  fromBrowser(data: Buffer): void {
    if (this.#isActive) for (const share of readShare(data)) this.#browserShare(share);
    else {
      this.#license(data, 'browser');
      this.#ends.toServer(data);
    }
  }

  /** `user` is the MCS user id of the connection. @throws BadPdu */
  fromServer(data: Buffer, user: number): void {
    if (!this.#isActive && isLicense(data)) {
      this.#license(data, 'server');
      this.#ends.toBrowser(data);
    } else for (const share of readShare(data)) this.#serverShare(share, user);
  }

  /** @throws BadPdu */
  fastPathFromServer(pdu: Buffer): void {
    if (!this.#isActive) throw new BadPdu('the server shows something too early');
    for (const update of this.#updates.readFastPath(pdu)) this.#show(update);
  }

  #browserShare(share: SharePdu): void {
    const { kind, data } = share;
    if (this.#reactivation.isAnswered(share)) return;
    if (kind === SHARE.confirmActive) {
      const confirm = rewriteConfirmActive(share, this.#colors);
      this.#reactivation.confirmed(confirm);
      this.#ends.toServer(confirm);
    } else if (data && BROWSER_DATA.has(data.kind)) this.#ends.toServer(share.bytes);
    else if (!data || !DROPPED_DATA.has(data.kind))
      throw new BadPdu('the browser sent a PDU that is not passed on');
  }

  #serverShare(share: SharePdu, user: number): void {
    const { kind, data, bytes } = share;
    if (kind === SHARE.demandActive) {
      this.#countBeginning();
      this.#share = { shareId: shareIdOf(share), source: user };
      this.#isActive = true;
      this.#isReady = false;
      this.#activation = [];
      this.#waiting = [];
      const size = sizeOfShare(share);
      if (size) this.#ends.resized(size);
      const answers = this.#reactivation.begin(this.#share, size);
      this.#activate(bytes);
      for (const answer of answers) this.#ends.toServer(answer);
    } else if (!this.#isActive) throw new BadPdu('the server shows something too early');
    else if (kind === SHARE.deactivateAll) {
      this.#reactivation.pause();
      // Page and recording get that of a later share when the next one is ready.
      if (this.#share && !this.#reactivation.isPaused) this.#pass(writeDeactivateAll(this.#share));
    } else if (data?.kind === DATA.update)
      for (const update of this.#updates.readUpdate(data.body)) this.#show(update);
    else if (data?.kind === DATA.pointer)
      for (const update of this.#updates.readPointer(data.body)) this.#show(update);
    else if (data && SERVER_DATA.has(data.kind)) {
      if (data.kind === DATA.errorInfo && data.body.length >= 4)
        this.#ends.endReason(data.body.readUInt32LE(0));
      if (!BEGINNING_DATA.has(data.kind)) this.#ends.toBrowser(bytes);
      else if (!this.#isReady) this.#activate(bytes);
      if (data.kind === DATA.fontMap) this.#ready();
    } else if (!data || !DROPPED_DATA.has(data.kind))
      throw new BadPdu('the server sent a PDU that is not passed on');
  }

  #show(update: Buffer): void {
    this.#reactivation.show(update, this.#ends.show);
  }

  #ready(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    const held = this.#reactivation.ready();
    if (!held || !this.#share) return;
    this.#pass(writeDeactivateAll(this.#share));
    this.#activation = this.#waiting.splice(0).map((data) => this.#pass(data));
    for (const update of held) this.#ends.show(update);
    this.#ends.complete();
  }

  #countBeginning(): void {
    const now = performance.now();
    if (now - this.#beginnings.from > BEGINNINGS_MS) this.#beginnings = { from: now, count: 0 };
    if (++this.#beginnings.count > MAX_BEGINNINGS)
      throw new BadPdu('the server begins without end');
  }

  /** Takes a PDU of the activation sequence. */
  #activate(bytes: Buffer): void {
    if (this.#activation.length + this.#waiting.length >= MAX_ACTIVATION)
      throw new BadPdu('the server begins without end');
    if (this.#reactivation.isPaused) this.#waiting.push(Buffer.from(bytes));
    else this.#activation.push(this.#pass(bytes));
  }

  /** Sends data to the page and records it. Returns the PDU around it. */
  #pass(data: Buffer): Buffer {
    const pdu = this.#ends.toBrowser(data);
    this.#ends.picture(pdu);
    return pdu;
  }

  #license(data: Buffer, from: 'browser' | 'server'): void {
    if (!isLicense(data) || ++this.#licenses[from] > MAX_LICENSE_MESSAGES)
      throw new BadPdu('a license is not one');
  }
}

/**
 * Returns true for a licensing PDU: its flag is set, and its declared length matches (MS-RDPELE
 * 2.2.2).
 */
function isLicense(data: Buffer): boolean {
  return (
    data.length >= 8 &&
    (data.readUInt16LE(0) & LICENSE) !== 0 &&
    data.readUInt16LE(6) === data.length - 4
  );
}
