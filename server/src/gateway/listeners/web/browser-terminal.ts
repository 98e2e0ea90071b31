import type { ErrorCode, Problem, ServerMessage, SessionGuest } from '@sallyport/contract';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import { Refusal, wordProblem } from '../../refusal.ts';
import type { OpenedSession, SessionClient } from '../../sessions/session-client.ts';
import type {
  TerminalSession,
  TerminalSessionClient,
} from '../../sessions/terminal/terminal-session.ts';
import { gone } from '../open-for.ts';
import { InputWindow } from './input-window.ts';
import { Questions } from './questions.ts';
import type { ProtocolSocket } from './socket.ts';

/** What a browser's terminal needs around it. */
export interface BrowserTerminalParts {
  readonly ports: GatewayPorts;
  readonly person: Person;
  readonly socket: ProtocolSocket;
  /** How long the session outlives its socket. */
  readonly keepSeconds: number;
  /** The session can be found from now on, until `onForget`. */
  readonly onOpen: (id: string, terminal: BrowserTerminal) => void;
  readonly onForget: (id: string) => void;
  /** The session ended while its browser was away, which may still come back for so many seconds. */
  readonly onEndAway: (id: string, seconds: number) => void;
}

/**
 * The near end of a web terminal. It lives as long as its session; its socket can be replaced by another one of the same sign-in. While there is none, the output
 * that the window allows waits here, and the target is not read beyond that: nothing is lost, and nothing grows.
 */
export class BrowserTerminal implements TerminalSessionClient {
  readonly person: Person;
  private readonly abandoned = new AbortController();
  private readonly parts: BrowserTerminalParts;
  private readonly began = performance.now();
  private socket: ProtocolSocket | undefined;
  private session: TerminalSession | undefined;
  private names: OpenedSession | undefined;
  readonly questions = new Questions();
  private isHeld = false;
  private readonly typed = new InputWindow(
    () => this.session?.waitingInput ?? 0,
    (bytes) => this.socket?.send({ type: 'taken', bytes }),
  );
  private away: { readonly from: Date; readonly timer: NodeJS.Timeout } | undefined;
  private over: Problem | undefined;
  /** A browser that comes back gets it again. */
  private shownNotice: ServerMessage | undefined;

  constructor(parts: BrowserTerminalParts) {
    this.parts = parts;
    this.person = parts.person;
    this.socket = parts.socket;
  }

  stage(stage: Parameters<SessionClient['stage']>[0], host?: string): void {
    this.socket?.send({ type: 'stage', stage, ...(host === undefined ? {} : { host }) });
  }

  askCredentials(
    username: string,
    reason: 'manual' | 'rejected',
  ): Promise<{ username: string; password: string }> {
    this.socket?.send({ type: 'need_credentials', username, reason });
    return this.questions.forCredentials();
  }

  askFactor(again: boolean): Promise<string> {
    this.socket?.send({ type: 'need_factor', again });
    return this.questions.forCode();
  }

  opened(names: OpenedSession): void {
    this.names = names;
    this.parts.onOpen(names.id, this);
    const { id, asset, account, oldAlgorithms } = names;
    this.socket?.send({
      type: 'open',
      session: id,
      asset,
      account,
      keeps: this.parts.keepSeconds,
      old: oldAlgorithms.join(', '),
    });
    this.typed.begin();
  }

  output(chunk: Buffer): void {
    this.socket?.sendBytes(chunk);
  }

  holdInput(on: boolean): void {
    this.isHeld = on;
    this.socket?.hold(on);
  }

  guests(guests: readonly SessionGuest[]): void {
    this.socket?.send({ type: 'guests', guests });
  }

  notice(problem: Problem, isOver: boolean): void {
    const message = {
      type: 'notice',
      message: wordProblem(problem, this.person.language),
      over: isOver,
    } as const;
    this.shownNotice = isOver ? undefined : message;
    this.socket?.send(message);
  }

  closed(problem: Problem): void {
    this.over = problem;
    this.typed.stop();
    const { names, parts } = this;
    this.socket?.finish(problem);
    if (!names) return;
    if (!this.away) {
      parts.onForget(names.id);
      return;
    }
    // The browser may still come back, and then learns how it ended.
    this.countGap(this.away, null);
    parts.onEndAway(names.id, parts.keepSeconds);
  }

  /** Gives up the try to open the session when the browser is gone before. */
  abandonWith(controller: AbortController): void {
    const { signal } = this.abandoned;
    const giveUp = () => controller.abort(signal.reason);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp);
  }

  /** The session that works with this end. */
  begin(session: TerminalSession): void {
    this.session = session;
  }

  /** Takes input; false when so much of it waits that the browser must be sent away. */
  input(bytes: Buffer): boolean {
    if (!this.session) return true;
    if (!this.session.input(bytes)) return false;
    this.typed.add(bytes.length);
    return true;
  }

  resize(cols: number, rows: number): void {
    this.session?.resize(cols, rows);
  }

  /** The browser has drawn so many bytes; false when that cannot be. */
  acknowledge(bytes: number): boolean {
    return this.session?.acknowledge(bytes) ?? true;
  }

  /** A socket is gone. Where the browser meant to leave, or nothing is open yet, the session ends; otherwise it is kept for a while. */
  lost(socket: ProtocolSocket, isMeant: boolean): void {
    if (socket !== this.socket) return;
    this.socket = undefined;
    this.questions.giveUp();
    const { session, names } = this;
    const { keepSeconds } = this.parts;
    if (!session || !names || isMeant || keepSeconds === 0) {
      this.abandoned.abort(gone());
      session?.end('session_finished');
      return;
    }
    if (this.over) return;
    session.guests.pause(true);
    session.note('connection lost');
    const end = () =>
      session.end('session_left' satisfies ErrorCode, { minutes: Math.round(keepSeconds / 60) });
    this.away = { from: new Date(), timer: setTimeout(end, keepSeconds * 1000) };
  }

  /** Goes on at another socket of the same sign-in; the one before, if it is still there, is closed. */
  async resume(
    socket: ProtocolSocket,
    person: Person,
    message: {
      readonly received?: number | undefined;
      readonly cols: number;
      readonly rows: number;
    },
  ): Promise<void> {
    const { session, names } = this;
    if (!session || !names) throw new Refusal('session_gone');
    // What ended while nobody was there is known; what is open is asked about once more before anything of it is shown.
    if (!this.over) await session.recheck();
    if (socket.isOver) return;
    this.socket?.finish({ code: 'session_moved' });
    this.socket = socket;
    if (!this.over) this.comeBack(person);
    const { id, asset, account, oldAlgorithms } = names;
    const { bytes, isScreen, position } = session.resume(message.received);
    const age = Math.round((performance.now() - this.began) / 1000);
    const keeps = this.parts.keepSeconds;
    socket.send({
      type: 'resumed',
      session: id,
      asset,
      account,
      keeps,
      old: oldAlgorithms.join(', '),
      typed: this.typed.arrived,
      screen: isScreen,
      position,
      age,
    });
    if (isScreen || bytes.length > 0) socket.sendBytes(bytes);
    if (this.over) {
      socket.finish(this.over);
      this.parts.onForget(id);
      return;
    }
    this.typed.begin();
    if (this.shownNotice) socket.send(this.shownNotice);
    if (session.guests.count > 0) this.guests(session.guests.list);
    socket.hold(this.isHeld);
    session.resize(message.cols, message.rows);
  }

  private comeBack(person: Person): void {
    const { away, session } = this;
    this.away = undefined;
    if (!away || !session) return;
    session.guests.pause(false);
    session.note('connection restored');
    this.countGap(away, person.remoteAddr);
  }

  private countGap(
    { from, timer }: { readonly from: Date; readonly timer: NodeJS.Timeout },
    remoteAddr: string | null,
  ): void {
    clearTimeout(timer);
    const { ports } = this.parts;
    const id = this.names?.id;
    if (id === undefined) return;
    ports.sessions
      .addGap(id, { from, to: new Date(), remoteAddr })
      .catch((error: unknown) =>
        ports.log.error(
          { session: id, err: error },
          'an interruption of a session could not be written',
        ),
      );
  }
}
