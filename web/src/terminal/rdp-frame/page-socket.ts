import { joined, kindOf, MCS, PduSplitter } from './pdus.ts';

/**
 * IronRDP asks a proxy to connect (RDCleanPath) before it speaks RDP. No such proxy exists: the
 * gateway has already connected, checked the certificate and signed in. The frame therefore answers
 * the request and reports that TLS was chosen.
 */

/**
 * A placeholder for the server certificate. IronRDP parses it and uses nothing of it; we keep no
 * private key for it.
 */
const CERTIFICATE =
  'MIIBbzCCARWgAwIBAgIUDqkZal1xKdpnlLEXqDe2PwKPm5YwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBczAgFw0yNjExMjIwMTA1MTdaGA8yMTI2MTAyOTAxMDUxN1owDDEKMAgGA1UEAwwBczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKCo+NbzXd7fuUScHvoKMhTFbc+hW9VEaFq8vyaSUGBwez08y5rByoT28htZgbBwNJGAHTPy8niD+D8cFwk2IyqjUzBRMB0GA1UdDgQWBBTFU+VqM2dMuxTqEx8yhAo9a4SWBTAfBgNVHSMEGDAWgBTFU+VqM2dMuxTqEx8yhAo9a4SWBTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCqkLCv9AAbsTKpfrIywgkmbm5fgcV7raR1cvgBkva43QIgPdIQVo72IKbjCoR0o83TjyLcrzgXO4waqLSGD/L/a/U=';

/** X.224 Connection Confirm: TLS was chosen (MS-RDPBCGR 2.2.1.2.1). */
const CONFIRM = Uint8Array.of(3, 0, 0, 19, 14, 0xd0, 0, 0, 0x12, 0x34, 0, 2, 0, 8, 0, 1, 0, 0, 0);
const VERSION = Uint8Array.of(0x0d, 0x3e);
const TAG = {
  integer: 0x02,
  octets: 0x04,
  text: 0x0c,
  sequence: 0x30,
  version: 0xa0,
  confirm: 0xa6,
  certificates: 0xa7,
  address: 0xa9,
} as const;

function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = joined(...parts);
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 255];
  return joined(Uint8Array.from(head), content);
}

/** Encodes the proxy's answer. */
function cleanPathAnswer(): Uint8Array<ArrayBuffer> {
  const certificate = Uint8Array.from(atob(CERTIFICATE), (character) => character.charCodeAt(0));
  return der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, VERSION)),
    der(TAG.confirm, der(TAG.octets, CONFIRM)),
    der(TAG.certificates, der(TAG.sequence, der(TAG.octets, certificate))),
    der(TAG.address, der(TAG.text, new TextEncoder().encode('desktop'))),
  );
}

/** The receiver of the PDUs that IronRDP sends. */
export interface SocketEnd {
  /** Takes a message of IronRDP, which may hold several PDUs. */
  fromClient(bytes: Uint8Array<ArrayBuffer>): void;
}

/** States of a socket. The frame replaces `WebSocket` itself. */
const STATE = { connecting: 0, open: 1, closed: 3 } as const;

let end: SocketEnd | undefined;
let latest: PageSocket | undefined;

/** Sets the receiver of the next socket. */
export function connectSockets(to: SocketEnd): void {
  end = to;
}

/** Delivers one PDU to IronRDP. PDUs before the connection opens are dropped. */
export function deliver(pdu: Uint8Array<ArrayBuffer>): void {
  latest?.deliver(pdu);
}

/**
 * A WebSocket to the surrounding page. IronRDP creates it in place of a connection to its proxy.
 */
export class PageSocket extends EventTarget {
  binaryType = 'arraybuffer';
  readyState: number = STATE.connecting;
  #isAnswered = false;
  /** Keeps messages in order, although reading a blob is asynchronous. */
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

/**
 * STATUS_VALID_CLIENT (MS-RDPELE 2.2.2.7): the license of a recorded session is already settled.
 */
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
 * Plays the server of a recorded or watched session. It gives IronRDP each recorded answer at the
 * step that waits for it, and creates the two answers that depend on the client. Then it forwards
 * the picture.
 */
export class RecordedServer implements SocketEnd {
  readonly #splitter = new PduSplitter();
  readonly #deliver: (pdu: Uint8Array<ArrayBuffer>) => void;
  #waiting: Uint8Array<ArrayBuffer>[] = [];
  #done: (() => void)[] = [];
  /** The answer IronRDP waits for: the settings, its user number, or the picture. */
  #step: 'none' | 'settings' | 'user' | 'picture' = 'none';

  constructor(deliver: (pdu: Uint8Array<ArrayBuffer>) => void) {
    this.#deliver = deliver;
  }

  /** Takes PDUs of the recording; calls `done` when IronRDP has received all of them. */
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
      this.#deliver(
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
      this.#deliver(
        joined(head, pdu.subarray(10, 12), Uint8Array.of(0x70, LICENSE.length), LICENSE),
      );
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
      this.#deliver(next);
      // The next answer waits for the next request.
      if (needed !== 'picture') this.#step = 'none';
    }
  }
}
