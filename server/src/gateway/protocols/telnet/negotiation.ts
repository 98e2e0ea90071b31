import type { SerialLine } from '@sallyport/contract';
import type { TerminalSize } from '../connector.ts';

const [SE, BREAK, SB, WILL, WONT, DO, DONT, IAC] = [
  240, 243, 250, 251, 252, 253, 254, 255,
] as const;
/** Option numbers (RFC 856, 857, 858, 1091, 1073, 2217). */
const [BINARY, ECHO, SUPPRESS_GO_AHEAD, TERMINAL_TYPE, WINDOW_SIZE, COM_PORT] = [
  0, 1, 3, 24, 31, 44,
] as const;
const [IS, SEND] = [0, 1] as const;
/** Requests to a serial server (RFC 2217), which answers with the same number plus 100. */
const LINE = { speed: 1, dataBits: 2, parity: 3, stopBits: 4, control: 5 } as const;
const LINE_ANSWER = 100;
const [BREAK_ON, BREAK_OFF] = [5, 6] as const;
const BREAK_MS = 300;

/** The options that one side may enable, and the verbs that accept and refuse an option. */
interface SideRules {
  readonly known: ReadonlySet<number>;
  readonly yes: number;
  readonly no: number;
}

/** The peer enables options that it offers. */
const THEIR_RULES: SideRules = {
  known: new Set([BINARY, ECHO, SUPPRESS_GO_AHEAD]),
  yes: DO,
  no: DONT,
};
/** We enable options on request. */
const OUR_RULES: SideRules = {
  known: new Set([BINARY, SUPPRESS_GO_AHEAD, TERMINAL_TYPE, WINDOW_SIZE]),
  yes: WILL,
  no: WONT,
};
/** Maximum bytes kept of an option's parameters; known options have one. */
const MAX_PARAMETERS = 64;

export interface NegotiationEvents {
  send(bytes: Buffer): void;
  onData(bytes: Buffer): void;
  /** The serial server has set the line, or refuses. */
  onLine?(isSet: boolean): void;
}

/**
 * The client side of telnet negotiation (RFC 854, RFC 855). It starts only that of a serial line,
 * and answers only changes, so answers cannot loop. Its memory is bounded.
 */
export class Negotiation {
  readonly #events: NegotiationEvents;
  readonly #terminal: string;
  readonly #theirs = new Set<number>();
  readonly #ours = new Set<number>();
  #size: TerminalSize;
  /** The serial line that we requested. */
  #line: SerialLine | undefined;
  #isLineWrong = false;
  #breaking: NodeJS.Timeout | undefined;
  #state: 'data' | 'return' | 'command' | 'option' | 'parameters' | 'parameters-command' = 'data';
  #verb = 0;
  #parameters: number[] = [];
  /** Answers to one chunk are sent together. */
  #answers: number[] = [];

  constructor(events: NegotiationEvents, terminal: string, size: TerminalSize) {
    this.#events = events;
    this.#terminal = terminal;
    this.#size = size;
  }

  /** True if the peer echoes input. Otherwise the client does. */
  get isEchoing(): boolean {
    return this.#theirs.has(ECHO);
  }

  /**
   * Feeds received bytes. Sends the answers to the options among them, then `onData` receives the
   * data in one piece: an option between any two bytes must not multiply the work.
   */
  read(chunk: Buffer): void {
    const data = Buffer.allocUnsafe(chunk.length);
    let length = 0;
    for (const byte of chunk) {
      if (this.#state === 'return') {
        this.#state = 'data';
        // A carriage return without a line feed is followed by a zero byte (RFC 854).
        if (byte === 0) continue;
      }
      if (this.#state === 'data' && byte !== IAC) {
        data[length++] = byte;
        if (byte === 13 && !this.#theirs.has(BINARY)) this.#state = 'return';
      } else if (this.#state === 'command' && byte === IAC) {
        data[length++] = IAC;
        this.#state = 'data';
      } else this.#step(byte);
    }
    this.#flush();
    if (length > 0) this.#events.onData(data.subarray(0, length));
  }

  /** Encodes typed bytes: doubles the byte 255, and completes carriage returns for the mode. */
  encode(typed: Buffer): Buffer {
    const bytes: number[] = [];
    const isBinary = this.#ours.has(BINARY);
    for (const byte of typed) {
      bytes.push(byte);
      if (byte === IAC) bytes.push(IAC);
      // An echoing peer reads keys; others read lines.
      if (byte === 13 && !isBinary) bytes.push(this.isEchoing ? 0 : 10);
    }
    return Buffer.from(bytes);
  }

  /** Sends the new size if the peer negotiated it. */
  resize(size: TerminalSize): void {
    this.#size = size;
    if (this.#ours.has(WINDOW_SIZE)) this.#sendSize();
    this.#flush();
  }

  /** Asks the serial server to set its line. The answer is an event. */
  requestLine(line: SerialLine): void {
    this.#line = line;
    this.#ours.add(COM_PORT);
    this.#send(IAC, WILL, COM_PORT);
    this.#flush();
  }

  /** Sends a break: by the serial server's own request if it has one. */
  sendBreak(): void {
    if (!this.#line) this.#send(IAC, BREAK);
    else if (!this.#breaking) {
      this.#sendLine(LINE.control, BREAK_ON);
      this.#breaking = setTimeout(() => {
        this.#breaking = undefined;
        this.#sendLine(LINE.control, BREAK_OFF);
        this.#flush();
      }, BREAK_MS);
    }
    this.#flush();
  }

  end(): void {
    clearTimeout(this.#breaking);
  }

  #step(byte: number): void {
    switch (this.#state) {
      case 'data':
        this.#state = 'command';
        return;
      case 'command':
        this.#verb = byte;
        this.#state = byte === SB ? 'parameters' : byte >= WILL && byte <= DONT ? 'option' : 'data';
        this.#parameters = [];
        return;
      case 'option':
        this.#state = 'data';
        this.#negotiate(this.#verb, byte);
        return;
      case 'parameters':
        if (byte === IAC) this.#state = 'parameters-command';
        else this.#keep(byte);
        return;
      case 'parameters-command':
        if (byte === SE) this.#answer();
        else if (byte === IAC) this.#keep(byte);
        this.#state = byte === SE ? 'data' : 'parameters';
        return;
      default:
        this.#state = 'data';
    }
  }

  #keep(byte: number): void {
    if (this.#parameters.length < MAX_PARAMETERS) this.#parameters.push(byte);
  }

  #negotiate(verb: number, option: number): void {
    if (verb === WILL) this.#enable(this.#theirs, option, THEIR_RULES);
    else if (option === COM_PORT && this.#line && verb === DO) this.#setLine(this.#line);
    else if (option === COM_PORT && this.#line) this.#events.onLine?.(false);
    else if (verb === DO) {
      const isNew = !this.#ours.has(option);
      this.#enable(this.#ours, option, OUR_RULES);
      if (option === WINDOW_SIZE && isNew) this.#sendSize();
    } else if (verb === WONT && this.#theirs.delete(option)) this.#send(IAC, DONT, option);
    else if (verb === DONT && this.#ours.delete(option)) this.#send(IAC, WONT, option);
  }

  #enable(options: Set<number>, option: number, { known, yes, no }: SideRules): void {
    if (!known.has(option)) this.#send(IAC, no, option);
    else if (!options.has(option)) {
      options.add(option);
      this.#send(IAC, yes, option);
    }
  }

  #answer(): void {
    const [option, command] = this.#parameters;
    if (option === COM_PORT && this.#line) this.#readLine(this.#line, this.#parameters);
    if (option === TERMINAL_TYPE && command === SEND && this.#ours.has(TERMINAL_TYPE))
      this.#send(IAC, SB, TERMINAL_TYPE, IS, ...Buffer.from(this.#terminal, 'latin1'), IAC, SE);
  }

  /** The speed comes last: its answer says that the others have come. */
  #setLine({ speed, dataBits, parity, stopBits }: SerialLine): void {
    this.#sendLine(LINE.dataBits, dataBits);
    this.#sendLine(LINE.parity, parity);
    this.#sendLine(LINE.stopBits, stopBits);
    this.#sendLine(LINE.speed, speed >>> 24, (speed >> 16) & 255, (speed >> 8) & 255, speed & 255);
  }

  #readLine(line: SerialLine, [, kind = 0, ...value]: readonly number[]): void {
    const answer = value.reduce((sum, byte) => sum * 256 + byte, 0);
    for (const name of ['dataBits', 'parity', 'stopBits', 'speed'] as const)
      if (kind === LINE[name] + LINE_ANSWER && answer !== line[name]) this.#isLineWrong = true;
    if (kind === LINE.speed + LINE_ANSWER) this.#events.onLine?.(!this.#isLineWrong);
  }

  #sendLine(kind: number, ...value: readonly number[]): void {
    const escaped = value.flatMap((byte) => (byte === IAC ? [IAC, IAC] : [byte]));
    this.#send(IAC, SB, COM_PORT, kind, ...escaped, IAC, SE);
  }

  #sendSize(): void {
    const { cols, rows } = this.#size;
    const bytes = [cols >> 8, cols & 255, rows >> 8, rows & 255].flatMap((byte) =>
      byte === IAC ? [IAC, IAC] : [byte],
    );
    this.#send(IAC, SB, WINDOW_SIZE, ...bytes, IAC, SE);
  }

  #send(...bytes: number[]): void {
    this.#answers.push(...bytes);
  }

  #flush(): void {
    if (this.#answers.length > 0) this.#events.send(Buffer.from(this.#answers));
    this.#answers = [];
  }
}
