import { isUtf8 } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { Charset, SerialLine } from '@sallyport/contract';
import { decodeText, encodeExactly, encodeText } from '../../charsets.ts';
import { MAX_ANSWER_BACKLOG, MAX_WAITING_INPUT } from '../../limits.ts';
import { Refusal } from '../../refusal.ts';
import type { Connection, Route, TargetEvents, TargetShell, TerminalSize } from '../connector.ts';
import { guardBacklog } from '../ssh/backpressure.ts';
import { openTransport } from '../ssh/transport.ts';
import { TARGET_ENDS, type TargetEnd } from '../target-end.ts';
import { LineEditor } from './line-editor.ts';
import { Negotiation } from './negotiation.ts';
import { SignIn, type SignInStep } from './sign-in.ts';

/** Size until the user's terminal is known. */
const FIRST_SIZE: TerminalSize = { cols: 80, rows: 24 };
const TERMINAL = 'xterm-256color';
/** Maximum output kept during the sign-in, in bytes: banner, prompts, message of the day. */
const MAX_GREETING = 64 * 1024;
/** Maximum unsent bytes: answers to options, and all that a user may have typed. */
const MAX_BACKLOG = MAX_ANSWER_BACKLOG + 2 * MAX_WAITING_INPUT;
/** After this silence at an unclear line, assume an unknown prompt and show it to the user. */
const QUIET_MS = 3000;
/** After this silence without a line, press Enter once. */
const WAKE_MS = 2500;

/**
 * Connects to a telnet server, directly or through SSH gateways. Telnet itself is unencrypted.
 * Signs in by answering the server's prompts; without a username and a password the user answers
 * them, and those that we do not know. A server that is silent after an answer is a timeout.
 */
export async function connectTelnet(route: Route, signal: AbortSignal): Promise<Connection> {
  const { target, timeoutMs, onStage, charset = 'utf8', serialLine } = route;
  const { stream, close } = await openTransport(route, signal);
  const wire = new Wire(stream, close, charset);
  try {
    if (serialLine && !(await wire.setLine(serialLine, timeoutMs, signal)))
      throw new Refusal('connect_serial_line', { host: `${target.host}:${target.port}` });
    const { username, password } = target.login;
    if (username && password) {
      // A question mark in place of a lacking character would be another account.
      if (!encodeExactly(username + password, charset))
        throw new Refusal('connect_charset', { account: username });
      onStage('authenticating', target.name);
      await signIn(
        wire,
        new SignIn({
          username,
          password,
          prompts: route.prompts,
        }),
        route,
        AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      );
    }
    signal.throwIfAborted();
    return {
      openShell: async ({ command, ...size }, events) => {
        // Telnet has no commands, only the server's prompt.
        if (command !== undefined) throw new Refusal('connect_protocol', { protocol: 'telnet' });
        return wire.attach(size, events);
      },
      close: () => wire.end('closed'),
    };
  } catch (error) {
    wire.end('closed');
    throw error;
  }
}

/** Runs the sign-in until it has a verdict. @throws Refusal */
async function signIn(
  wire: Wire,
  steps: SignIn,
  { target }: Route,
  signal: AbortSignal,
): Promise<void> {
  const host = `${target.host}:${target.port}`;
  let quiet: NodeJS.Timeout | undefined;
  const problem = await new Promise<Refusal | undefined>((done) => {
    const wake = () => {
      steps.wake();
      wire.line('');
    };
    const listenOn = () => {
      clearTimeout(quiet);
      if (steps.isUnclear) quiet = setTimeout(() => done(undefined), QUIET_MS);
      else if (steps.isAsleep) quiet = setTimeout(wake, WAKE_MS);
    };
    listenOn();
    const take = (step: SignInStep) => {
      clearTimeout(quiet);
      if (step.kind === 'answer') wire.line(step.line);
      else if (step.kind === 'signed-in') done(undefined);
      else if (step.kind === 'rejected')
        done(new Refusal('connect_credentials', { host, account: target.login.username }));
      else listenOn();
    };
    signal.addEventListener(
      'abort',
      // A user can answer an unknown prompt, but not silence.
      () =>
        done(
          wire.hasGreeted && !steps.isUnanswered
            ? undefined
            : new Refusal('connect_timeout', { host }),
        ),
      { once: true },
    );
    wire.listen(
      (text) => take(steps.read(text)),
      (how) =>
        done(
          how !== 'flooded' && steps.isPasswordSent
            ? new Refusal('connect_credentials', { host, account: target.login.username })
            : new Refusal(how === 'flooded' ? TARGET_ENDS[how] : 'connect_target_lost'),
        ),
    );
  });
  clearTimeout(quiet);
  wire.listen(undefined, undefined);
  if (problem) throw problem;
}

/**
 * The connection: passes bytes through the negotiation in both directions, and keeps output until a
 * session is attached.
 */
class Wire {
  readonly #transport: Duplex;
  readonly #close: () => void;
  readonly #negotiation: Negotiation;
  readonly #editor: LineEditor;
  readonly #charset: Charset;
  #greeting: Buffer = Buffer.alloc(0);
  #greetingBytes = 0;
  #events: TargetEvents | undefined;
  #onText: ((text: string) => void) | undefined;
  #onGone: ((how: TargetEnd) => void) | undefined;
  #ended: TargetEnd | undefined;
  /** The answer of a serial server about its line. */
  readonly #line = Promise.withResolvers<boolean>();

  constructor(transport: Duplex, close: () => void, charset: Charset) {
    this.#transport = transport;
    this.#charset = charset;
    this.#close = close;
    this.#negotiation = new Negotiation(
      {
        send: (bytes) => this.#send(bytes),
        onData: (bytes) => this.#show(bytes),
        onLine: (isSet) => this.#line.resolve(isSet),
      },
      TERMINAL,
      FIRST_SIZE,
    );
    this.#editor = new LineEditor(charset, {
      send: (bytes) => this.#send(this.#negotiation.encode(bytes)),
      show: (bytes) => this.#show(bytes),
    });
    transport.on('data', (chunk: Buffer) => {
      this.#negotiation.read(chunk);
      if (this.#negotiation.isEchoing) this.#editor.flush();
    });
    transport.on('error', () => this.end('lost'));
    transport.on('end', () => this.end('closed'));
    transport.on('close', () => this.end('lost'));
    // A peer that sends and never reads would pile up our answers in memory.
    guardBacklog(transport, () => this.end('flooded'), MAX_BACKLOG);
  }

  /** True if the server sent any output. */
  get hasGreeted(): boolean {
    return this.#greetingBytes > 0;
  }

  /** Receives the output before a session is attached, from the beginning. */
  listen(
    onText: ((text: string) => void) | undefined,
    onGone: ((how: TargetEnd) => void) | undefined,
  ): void {
    this.#onText = onText;
    this.#onGone = onGone;
    if (onText && this.#greetingBytes > 0) onText(this.#text(this.#kept));
    if (onGone && this.#ended) onGone(this.#ended);
  }

  line(text: string): void {
    this.#send(this.#negotiation.encode(encodeText(`${text}\r`, this.#charset)));
  }

  /** Sets the serial line. Returns false if the server cannot, or does not answer. */
  async setLine(line: SerialLine, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    limit.addEventListener('abort', () => this.#line.resolve(false), { once: true });
    this.#negotiation.requestLine(line);
    const isSet = await this.#line.promise;
    signal.throwIfAborted();
    if (this.#ended) throw new Refusal(TARGET_ENDS[this.#ended]);
    return isSet;
  }

  /** Attaches a session, which receives the kept output first. */
  attach(size: TerminalSize, events: TargetEvents): TargetShell {
    this.#negotiation.resize(size);
    this.#events = events;
    if (this.#greetingBytes > 0) events.onData(this.#kept);
    this.#greeting = Buffer.alloc(0);
    if (this.#ended) events.onEnd(this.#ended);
    const transport = this.#transport;
    return {
      write: (chunk) => {
        if (this.#negotiation.isEchoing) this.#send(this.#negotiation.encode(chunk));
        else this.#editor.type(chunk);
      },
      writeUnseen: (chunk) => this.#send(this.#negotiation.encode(chunk)),
      get waiting() {
        return transport.writableLength;
      },
      resize: (cols, rows) => this.#negotiation.resize({ cols, rows }),
      sendBreak: () => this.#negotiation.sendBreak(),
      pause: () => void transport.pause(),
      resume: () => void transport.resume(),
      close: () => this.end('closed'),
    };
  }

  end(how: TargetEnd): void {
    if (this.#ended) return;
    this.#ended = how;
    this.#line.resolve(false);
    this.#negotiation.end();
    this.#transport.destroy();
    this.#close();
    this.#onGone?.(how);
    this.#events?.onEnd(how);
  }

  #show(bytes: Buffer): void {
    if (this.#events) {
      this.#events.onData(bytes);
      return;
    }
    if (this.#greetingBytes + bytes.length > MAX_GREETING) {
      this.#greetingBytes += bytes.length;
      this.end('flooded');
      return;
    }
    this.#keep(bytes);
    this.#onText?.(this.#text(bytes));
  }

  /** Adds to the greeting. Single bytes must not become an object each. */
  #keep(bytes: Buffer): void {
    const length = this.#greetingBytes + bytes.length;
    if (length > this.#greeting.length)
      this.#greeting = Buffer.concat([this.#kept], 2 ** Math.ceil(Math.log2(length)));
    bytes.copy(this.#greeting, this.#greetingBytes);
    this.#greetingBytes = length;
  }

  get #kept(): Buffer {
    return this.#greeting.subarray(0, this.#greetingBytes);
  }

  /** Decodes prompts. Many devices with the default charset speak GBK. */
  #text(bytes: Buffer): string {
    const isOther = this.#charset === 'utf8' && !isUtf8(bytes);
    return decodeText(bytes, isOther ? 'gbk' : this.#charset);
  }

  #send(bytes: Buffer): void {
    if (this.#ended) return;
    this.#transport.write(bytes);
    if (this.#transport.writableLength > MAX_BACKLOG) this.end('flooded');
  }
}
