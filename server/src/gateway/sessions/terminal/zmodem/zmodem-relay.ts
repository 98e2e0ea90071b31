import { CANCEL, TYPES } from '@sallyport/contract/zmodem/frames.ts';
import { ZMODEM_PROGRESS_MS, ZMODEM_QUIET_MS } from '../../../limits.ts';
import { wordProblem } from '../../../refusal.ts';
import { bufferOf, type PassedFile } from './conversation.ts';
import { Farewell } from './farewell.ts';
import { FileLines } from './file-lines.ts';
import { HeaderScan, type Scanned, withoutHeaders } from './header-scan.ts';
import { Quiet } from './quiet.ts';
import { RefusedHeader } from './refused-header.ts';
import { type End, type Operation, type Stopped, Transfer } from './transfer.ts';
import type { Offer, ZmodemParts } from './zmodem-parts.ts';

/** Sent by `sz` before its first header, for a shell that would start `rz`. */
const GREETING = Buffer.from('rz\r');
/** A client that was cancelled may still send for a round trip. */
const CLIENT_DRAIN_MS = 2000;
const DRAIN_QUIET_MS = 500;
/** Afterwards, input up to this length is typed: pieces of a file are longer. */
const MAX_KEYS = 4;
/** Output of an offer that is kept for the recording, at most. */
const MAX_SEEN = 4096;
const NOTHING = Buffer.alloc(0);

/**
 * The ZMODEM transfers of a terminal session. Output is text until a header; input is typed until
 * the client answers it with a frame. From then on only frames pass, until both ends have finished
 * or one end sends anything else.
 */
export class ZmodemRelay {
  private readonly parts: ZmodemParts;
  private readonly lines: FileLines;
  private readonly scan = new HeaderScan();
  private offer: Offer | undefined;
  private refused: RefusedHeader | undefined;
  private running: Transfer | undefined;
  private cancelled: Transfer | undefined;
  private readonly held = new Quiet(ZMODEM_QUIET_MS, () => this.releaseHeld());
  private readonly progress = new Quiet(ZMODEM_PROGRESS_MS, () => this.cancel());
  private readonly targetDrain = new Quiet(DRAIN_QUIET_MS, () => this.ended());
  private readonly clientDrain = new Quiet(DRAIN_QUIET_MS, () => undefined);
  private readonly farewell = new Farewell();

  constructor(parts: ZmodemParts) {
    this.parts = parts;
    this.lines = new FileLines(parts.language, parts.show);
  }

  /** True if input of the user comes here. */
  get takesInput(): boolean {
    const { offer, running, clientDrain, farewell } = this;
    if (this.parts.isSeparate) return this.isPassing;
    return Boolean(offer || running || clientDrain.isWaiting || farewell.awaitsClient);
  }

  /** True while files pass: the terminal of the user shows no text. */
  get isPassing(): boolean {
    const isOffered = this.parts.isSeparate && this.offer !== undefined;
    return isOffered || this.running !== undefined || this.targetDrain.isWaiting;
  }

  /** Shows a line, after the transfer if files pass. */
  show(line: string): void {
    if (this.isPassing) this.lines.add(line);
    else this.parts.show(line);
  }

  fromTarget(output: Buffer): void {
    const { cancelled, targetDrain } = this;
    if (cancelled && targetDrain.isWaiting) this.drain(cancelled, output);
    else if (this.running) this.relay(this.running, 'target', output);
    else if (this.offer) this.offerOutput(this.offer, output);
    else if (this.refused) this.refused.push(output);
    else this.textOutput(output);
  }

  fromClient(input: Buffer): void {
    if (this.running) this.relay(this.running, 'client', input);
    else if (this.isDrained(input)) this.clientDrain.heard();
    else if (this.offer) this.offerInput(this.offer, input);
    else this.typed(input);
  }

  /** Returns true for input that the client still sends after a cancelled transfer. */
  private isDrained(input: Buffer): boolean {
    const { clientDrain } = this;
    if (clientDrain.isPastMinimum && input.length <= MAX_KEYS) clientDrain.stop();
    return clientDrain.isWaiting;
  }

  /** Cancels a transfer, and one that was offered. */
  abort(): void {
    const { offer } = this;
    if (offer) this.answered(offer.transfer);
    this.cancel();
  }

  /** Cancels a transfer that may not continue, for example after a lock. */
  recheck(): void {
    if (this.running && this.parts.refusal(this.running.operation)) this.cancel();
  }

  /** The session ends. */
  end(): void {
    const { running, targetDrain } = this;
    if (running) {
      this.parts.toClient(bufferOf(CANCEL));
      this.leave(running);
    }
    if (running || targetDrain.isWaiting) this.parts.changed(false);
    if (this.offer) this.withdraw(this.offer);
    this.refused?.end();
    if (this.scan.isHolding) this.releaseHeld();
    for (const timer of [this.held, this.progress, this.targetDrain, this.clientDrain])
      timer.stop();
    this.lines.flush();
  }

  private textOutput(output: Buffer): void {
    this.held.stop();
    const scanned = this.scan.scan(this.farewell.target(output));
    if (scanned.text.length > 0) this.parts.text(scanned.text);
    if (scanned.begin) this.begin(scanned.begin);
    else if (this.scan.isHolding) this.held.begin();
  }

  private releaseHeld(): void {
    this.parts.text(this.scan.release());
  }

  private begin({ header, raw, after }: NonNullable<Scanned['begin']>): void {
    const operation = header.type === TYPES.init ? 'upload' : 'download';
    if (this.parts.refusal(operation)) {
      this.refused = new RefusedHeader(operation, {
        text: (output) => {
          this.refused = undefined;
          this.parts.text(output);
        },
        waits: (program) => this.refuse(program),
      });
      this.refused.push(Buffer.concat([raw, after]));
      return;
    }
    const { log, charset, toClient, toTarget } = this.parts;
    const onFile = (file: PassedFile) => this.lines.addFile(operation, file);
    const transfer = new Transfer({ operation, log, charset, toClient, toTarget, onFile });
    transfer.put('client', { kind: 'header', header });
    // Text directly after the header means that no program waits for an answer.
    const stopped = transfer.read('target', after, () => true);
    if (stopped) {
      this.parts.text(withoutHeaders(Buffer.concat([raw, after])));
      return;
    }
    const seen = [raw, after];
    const seenBytes = raw.length + after.length;
    this.offer = { transfer, seen, seenBytes, input: NOTHING, isPastGreeting: false };
    transfer.flush();
  }

  /** A program waits, and its user may not transfer files. */
  private refuse(operation: Operation): void {
    this.refused = undefined;
    this.parts.toTarget(bufferOf(CANCEL));
    this.farewell.begin(false);
    const problem = this.parts.refusal(operation) ?? { code: 'file_incomplete' };
    this.parts.log.refused(operation, operation === 'upload' ? 'rz' : 'sz', problem.code);
    this.parts.show(wordProblem(problem, this.parts.language));
  }

  private offerOutput(offer: Offer, output: Buffer): void {
    const stopped = offer.transfer.read('target', output, () => true);
    if (!stopped) {
      offer.transfer.flush();
      offer.seenBytes += output.length;
      if (offer.seenBytes <= MAX_SEEN) offer.seen.push(output);
      return;
    }
    if (stopped.why === 'cancel' && this.parts.isSeparate) {
      this.abort();
      return;
    }
    this.withdraw(offer);
    this.textOutput(output);
  }

  private offerInput(offer: Offer, input: Buffer): void {
    offer.input = Buffer.concat([offer.input, input]);
    let frames = input;
    if (!offer.isPastGreeting) {
      const { input: all } = offer;
      if (GREETING.subarray(0, all.length).equals(all)) return;
      offer.isPastGreeting = true;
      const isGreeted = all.subarray(0, GREETING.length).equals(GREETING);
      frames = isGreeted ? all.subarray(GREETING.length) : all;
    }
    const { transfer } = offer;
    const stopped = transfer.read('client', frames, () => {
      if (this.offer) this.answered(transfer);
      return this.running === transfer;
    });
    if (this.running === transfer) this.relayed(transfer, 'client', stopped);
    else if (stopped && this.offer) {
      if (this.parts.isSeparate) this.abort();
      else this.withdraw(offer);
    }
  }

  /** The client has sent its first frame: files pass from here on. */
  private answered(transfer: Transfer): void {
    this.offer = undefined;
    this.running = transfer;
    this.parts.changed(true);
    this.recheck();
  }

  /** No transfer has begun: output was text, and input was typed. */
  private withdraw(offer: Offer): void {
    this.offer = undefined;
    this.parts.seenText(withoutHeaders(Buffer.concat(offer.seen)));
    if (offer.input.length > 0) this.parts.keys(offer.input);
    this.lines.flush();
  }

  private relay(transfer: Transfer, from: End, bytes: Buffer): void {
    this.relayed(
      transfer,
      from,
      transfer.read(from, bytes, () => true),
    );
  }

  private relayed(transfer: Transfer, from: End, stopped: Stopped | undefined): void {
    if (!stopped) {
      transfer.flush();
      this.progress.heard();
      this.recheck();
      return;
    }
    const { why, rest } = stopped;
    if (why === 'broken' || (why !== 'finished' && from === 'client')) {
      this.cancel();
      return;
    }
    transfer.flush();
    if (why !== 'finished') this.cancelClient();
    this.leave(transfer);
    this.ended();
    this.farewell.begin(why === 'finished' && transfer.operation === 'upload');
    // Both ends, or the program at the target, have left: the rest is text again.
    if (rest.length === 0) return;
    if (from === 'target') this.textOutput(rest);
    else this.typed(rest);
  }

  /** Drops frames of a cancelled program, until text follows. */
  private drain(transfer: Transfer, output: Buffer): void {
    const text = transfer.drain(output);
    if (!text) {
      this.targetDrain.heard();
      return;
    }
    this.targetDrain.stop();
    this.ended();
    this.textOutput(text);
  }

  /** Cancels the transfer at both ends, and drops what they still send. */
  private cancel(): void {
    const { running } = this;
    if (!running) return;
    this.leave(running);
    this.cancelled = running;
    this.lines.addCancelled();
    this.parts.toTarget(bufferOf(CANCEL));
    this.cancelClient();
    this.targetDrain.begin();
    this.farewell.begin(false);
  }

  private cancelClient(): void {
    this.parts.toClient(bufferOf(CANCEL));
    if (!this.parts.isSeparate) this.clientDrain.begin(CLIENT_DRAIN_MS);
  }

  private leave(transfer: Transfer): void {
    this.running = undefined;
    this.progress.stop();
    transfer.end();
  }

  private ended(): void {
    this.parts.changed(false);
    this.lines.flush();
  }

  private typed(input: Buffer): void {
    const keys = this.farewell.client(input);
    if (keys.length > 0) this.parts.keys(keys);
  }
}
