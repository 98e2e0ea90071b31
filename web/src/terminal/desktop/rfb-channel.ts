import type { DesktopFacts } from '@sallyport/contract';

type Send = (bytes: Uint8Array<ArrayBuffer>) => void;

const GREETING = 'RFB 003.008\n';

/** Received bytes, and a callback for when they were taken. */
interface Frame {
  readonly bytes: Uint8Array;
  readonly taken: () => void;
}

/** ClientCutText (RFC 6143, section 7.5.6). A negative length marks an extended message. */
const CUT_TEXT = 6;

/**
 * The socket that noVNC reads. The gateway has signed in already, so this class plays the handshake
 * (RFC 6143, 7.1 to 7.3): a version, no security, and the desktop's properties. Frames of a live
 * session, a watched session or a recording follow.
 */
export class RfbChannel {
  // Properties that noVNC expects of a socket.
  readonly protocol = '';
  readonly readyState = 'open';
  binaryType = 'arraybuffer';
  onopen: (() => void) | null = null;
  onclose: ((event: { readonly code: number }) => void) | null = null;
  onerror: (() => void) | null = null;
  onmessage: ((event: { readonly data: Uint8Array }) => void) | null = null;

  readonly #facts: DesktopFacts;
  readonly #send: Send;
  #said = new Uint8Array();
  #step = 0;
  #waiting: Frame[] = [];
  /** Set while a text is offered: `isLatin` once noVNC sends it as Latin-1, whole or in parts. */
  #offer: { isLatin: boolean } | undefined;

  constructor(facts: DesktopFacts, send: Send) {
    this.#facts = facts;
    this.#send = send;
  }

  /** noVNC sets its listener; the handshake begins. */
  begin(): void {
    this.#tell(new TextEncoder().encode(GREETING));
  }

  /** Passes bytes to noVNC; calls `taken` once noVNC has them. */
  receive(bytes: Uint8Array, taken: () => void = () => undefined): void {
    if (this.#step < STEPS.length) this.#waiting.push({ bytes, taken });
    else {
      this.#tell(bytes);
      taken();
    }
  }

  /** Called by noVNC with its output. */
  send(data: ArrayBufferView | ArrayBuffer): void {
    const bytes = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
      : new Uint8Array(data).slice();
    if (this.#step === STEPS.length) {
      if (this.#offer && isLatinText(bytes)) this.#offer.isLatin = true;
      if (!this.#offer?.isLatin) this.#send(bytes);
      return;
    }
    const joined = new Uint8Array(this.#said.length + bytes.length);
    joined.set(this.#said);
    joined.set(bytes, this.#said.length);
    this.#said = joined;
    this.#shake();
  }

  /**
   * Calls `offer`, which lets noVNC send a clipboard text. Returns false, and sends nothing, if
   * noVNC would send it as Latin-1 because the server does not know the extended clipboard.
   */
  offersWhole(offer: () => void): boolean {
    const offered = { isLatin: false };
    this.#offer = offered;
    try {
      offer();
    } finally {
      this.#offer = undefined;
    }
    return !offered.isLatin;
  }

  /** Called by noVNC when it disconnects. */
  close(): void {
    queueMicrotask(() => this.onclose?.({ code: 1000 }));
  }

  #shake(): void {
    for (
      let step = STEPS[this.#step];
      step && this.#said.length >= step.length;
      step = STEPS[this.#step]
    ) {
      this.#said = this.#said.slice(step.length);
      this.#step += 1;
      this.#tell(step.answer(this.#facts));
    }
    if (this.#step < STEPS.length) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    // Bytes after the handshake belong to the desktop.
    if (this.#said.length > 0) this.#send(this.#said.slice());
    this.#said = new Uint8Array();
    for (const { bytes, taken } of waiting) this.receive(bytes, taken);
  }

  #tell(data: Uint8Array): void {
    // noVNC sends from inside its message handler: deliver the next message after it returns.
    queueMicrotask(() => this.onmessage?.({ data }));
  }
}

/** Length and answer of each handshake message: version, security type, sharing. */
const STEPS: readonly {
  readonly length: number;
  readonly answer: (facts: DesktopFacts) => Uint8Array;
}[] = [
  { length: 12, answer: () => new Uint8Array([1, 1]) },
  { length: 1, answer: () => new Uint8Array(4) },
  { length: 1, answer: serverInit },
];

function serverInit({ width, height, name }: DesktopFacts): Uint8Array {
  const text = new TextEncoder().encode(name);
  const bytes = new Uint8Array(24 + text.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, width);
  view.setUint16(2, height);
  // The pixel format that the gateway requests from every server.
  bytes.set([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16], 4);
  view.setUint32(20, text.length);
  bytes.set(text, 24);
  return bytes;
}

const isLatinText = (bytes: Uint8Array): boolean =>
  bytes[0] === CUT_TEXT && bytes.length >= 8 && ((bytes[4] ?? 0) & 0x80) === 0;
