import { cleanPathAnswer } from './clean-path.ts';
import { joined, kindOf, MCS, PduSplitter } from './pdus.ts';

/** Where the PDUs of IronRDP go. */
export interface SocketEnd {
  /** Takes a message of IronRDP, which may hold several PDUs. */
  fromClient(bytes: Uint8Array<ArrayBuffer>): void;
}

/** States of a socket. `WebSocket` itself is replaced in the frame. */
const STATE = { connecting: 0, open: 1, closed: 3 } as const;

let end: SocketEnd | undefined;
let latest: PageSocket | undefined;

/** Says where the next socket leads. */
export function connectSockets(to: SocketEnd): void {
  end = to;
}

/** Gives IronRDP one PDU; what comes before it has connected is lost. */
export function deliver(pdu: Uint8Array<ArrayBuffer>): void {
  latest?.deliver(pdu);
}

/** A WebSocket that leads to the page around the frame. IronRDP makes one where it would connect to its proxy. */
export class PageSocket extends EventTarget {
  binaryType = 'arraybuffer';
  readyState: number = STATE.connecting;
  #isAnswered = false;
  /** Messages keep their order, though some come as blobs that have to be read. */
  #order: Promise<void> = Promise.resolve();

  constructor(_address: string) {
    super();
    latest = this;
    queueMicrotask(() => {
      this.readyState = STATE.open;
      this.dispatchEvent(new Event('open'));
    });
  }

  send(data: Blob | ArrayBuffer | ArrayBufferView): void {
    this.#order = this.#order.then(async () => this.#take(await bytesOf(data)));
  }

  close(): void {
    this.readyState = STATE.closed;
  }

  deliver(pdu: Uint8Array<ArrayBuffer>): void {
    if (this.readyState === STATE.open)
      this.dispatchEvent(new MessageEvent('message', { data: pdu.buffer }));
  }

  #take(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#isAnswered) end?.fromClient(bytes);
    else {
      this.#isAnswered = true;
      this.deliver(cleanPathAnswer());
    }
  }
}

async function bytesOf(
  data: Blob | ArrayBuffer | ArrayBufferView,
): Promise<Uint8Array<ArrayBuffer>> {
  if (data instanceof Blob) return new Uint8Array(await data.arrayBuffer());
  if (data instanceof ArrayBuffer) return new Uint8Array(data.slice(0));
  return joined(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}

/** STATUS_VALID_CLIENT (MS-RDPELE 2.2.2.7): the license of a recorded session was settled long ago. */
const LICENSE = Uint8Array.of(
  0x80,
  0,
  0,
  0,
  0xff,
  2,
  16,
  0,
  7,
  0,
  0,
  0,
  2,
  0,
  0,
  0,
  0x28,
  0x14,
  0,
  0,
);

/**
 * Stands for the server of something that was recorded or is watched: gives IronRDP the recorded answers at the steps where it waits for them, makes up the two that depend on the client, and lets the picture
 * flow behind them.
 */
export class RecordedServer implements SocketEnd {
  readonly #splitter = new PduSplitter();
  #waiting: Uint8Array<ArrayBuffer>[] = [];
  #done: (() => void)[] = [];
  /** What IronRDP waits for: the settings, the number of its user, or the picture. */
  #step: 'none' | 'settings' | 'user' | 'picture' = 'none';

  /** Takes PDUs of the recording; `done` is called when IronRDP has them all. */
  push(pdus: readonly Uint8Array<ArrayBuffer>[], done: () => void): void {
    this.#waiting.push(...pdus);
    this.#done.push(done);
    this.#pump();
  }

  fromClient(bytes: Uint8Array<ArrayBuffer>): void {
    for (const pdu of this.#splitter.push(bytes)) this.#read(pdu);
    this.#pump();
  }

  #read(pdu: Uint8Array<ArrayBuffer>): void {
    const kind = kindOf(pdu);
    if (kind === MCS.connect) this.#step = 'settings';
    else if (kind === MCS.attachUser) this.#step = 'user';
    else if (kind === MCS.join) {
      const [user, channel] = [pdu.subarray(8, 10), pdu.subarray(10, 12)];
      deliver(
        joined(
          Uint8Array.of(3, 0, 0, 15, 2, 0xf0, 0x80, MCS.joinConfirm, 0),
          user,
          channel,
          channel,
        ),
      );
    } else if (kind === MCS.send && this.#step !== 'picture') {
      this.#step = 'picture';
      const head = Uint8Array.of(3, 0, 0, 14 + LICENSE.length, 2, 0xf0, 0x80, MCS.indication, 0, 1);
      deliver(joined(head, pdu.subarray(10, 12), Uint8Array.of(0x70, LICENSE.length), LICENSE));
    }
  }

  #pump(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (!next) {
        for (const done of this.#done.splice(0)) done();
        return;
      }
      const kind = kindOf(next);
      const needed =
        kind === MCS.connect ? 'settings' : kind === MCS.attachConfirm ? 'user' : 'picture';
      if (this.#step !== needed && this.#step !== 'picture') return;
      this.#waiting.shift();
      deliver(next);
      // The next answer waits for the next question.
      if (needed !== 'picture') this.#step = 'none';
    }
  }
}
