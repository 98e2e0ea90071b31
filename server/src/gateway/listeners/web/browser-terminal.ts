import type { ErrorCode, Problem, ServerMessage, SessionGuest } from '@sallyport/contract';
import { databaseClock } from '../../../platform/clock.ts';
import { MAX_WAITING_INPUT } from '../../limits.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import { Refusal, wordProblem } from '../../refusal.ts';
import type { OpenedSession, SessionClient } from '../../sessions/session-client.ts';
import type { TerminalSessionClient } from '../../sessions/terminal/terminal-client.ts';
import type { TerminalSession } from '../../sessions/terminal/terminal-session.ts';
import { gone } from '../open-for.ts';
import { stageMessage } from './messages.ts';
import { Questions } from './questions.ts';
import { InputWindow, type ProtocolSocket } from './socket.ts';

/** For so long a browser can ask for the reason of an end that it may have missed. */
const LAST_RETURN_SECONDS = 30;

export interface BrowserTerminalParts {
  readonly ports: GatewayPorts;
  readonly person: Person;
  readonly socket: ProtocolSocket;
  /** Seconds for which the session survives without its socket. */
  readonly keepSeconds: number;
  /** Called when the session is open; browsers can find it until `onForget`. */
  readonly onOpen: (id: string, terminal: BrowserTerminal) => void;
  readonly onForget: (id: string) => void;
  /**
   * Called when the session ends and its browser may not have learned the reason: it may still
   * return for `seconds`.
   */
  readonly onEndAway: (id: string, seconds: number) => void;
}

/**
 * The client of a web terminal session. It lives as long as the session; another socket of the same
 * sign-in can replace its socket. Without a socket, output waits here up to the window, then the
 * target pauses.
 */
export class BrowserTerminal implements TerminalSessionClient {
  readonly person: Person;
  private readonly abandoned = new AbortController();
  private readonly parts: BrowserTerminalParts;
  private readonly began = performance.now();
  private socket: ProtocolSocket | undefined;
  private session: TerminalSession | undefined;
  private names: OpenedSession | undefined;
  /** Output before the session counts as open. */
  private readonly early: Buffer[] = [];
  readonly questions = new Questions();
  private isHeld = false;
  private readonly typed = new InputWindow(
    () => this.session?.waitingInput ?? 0,
    (bytes) => this.socket?.send({ type: 'taken', bytes }),
  );
  private away: { readonly from: Date; readonly timer: NodeJS.Timeout } | undefined;
  private hasLeft = false;
  private over: Problem | undefined;
  /** Shown again to a browser that returns. */
  private currentNotice: ServerMessage | undefined;
  /** The reason for which input does not pass, also shown again. */
  private lock: string | null = null;

  constructor(parts: BrowserTerminalParts) {
    this.parts = parts;
    this.person = parts.person;
    this.socket = parts.socket;
  }

  stage(...facts: Parameters<SessionClient['stage']>): void {
    this.socket?.send(stageMessage(...facts));
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

  async askReason(): Promise<{ reason: string }> {
    this.socket?.send({ type: 'need_reason' });
    return { reason: await this.questions.forCode() };
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
    for (const chunk of this.early.splice(0)) this.output(chunk);
  }

  output(chunk: Buffer): void {
    // A server can send its prompt together with the shell.
    if (this.names) this.socket?.sendBytes(chunk);
    else this.early.push(chunk);
  }

  separatesFrames(on: boolean): boolean {
    this.socket?.send({ type: 'transfer', on });
    return this.socket !== undefined;
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
    this.currentNotice = isOver ? undefined : message;
    this.socket?.send(message);
  }

  announced(problem: Problem, isOver: boolean): void {
    if (problem.code === 'administrator_message') {
      this.notice(problem, true);
      return;
    }
    this.lock = isOver ? null : wordProblem(problem, this.person.language);
    this.socket?.send({ type: 'locked', message: this.lock });
  }

  closed(problem: Problem): void {
    this.over = problem;
    this.typed.stop();
    const { names, parts } = this;
    this.socket?.finish(problem);
    if (!names) return;
    if (this.hasLeft) {
      parts.onForget(names.id);
      return;
    }
    if (this.away) this.countGap(this.away, null);
    // A socket that was being lost did not carry the reason.
    parts.onEndAway(names.id, this.away ? parts.keepSeconds : LAST_RETURN_SECONDS);
  }

  /** Aborts the attempt when the browser leaves before the session is open. */
  abandonWith(controller: AbortController): void {
    const { signal } = this.abandoned;
    const giveUp = () => controller.abort(signal.reason);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp);
  }

  begin(session: TerminalSession): void {
    this.session = session;
  }

  /** Takes input. Returns false if too much input waits: the caller must disconnect the browser. */
  input(bytes: Buffer): boolean {
    if (this.session?.input(bytes) === false) return false;
    if (this.session) this.typed.add(bytes.length);
    return true;
  }

  /** Takes frames of a transfer. Returns false as `input` does. */
  frames(bytes: Buffer): boolean {
    if ((this.session?.waitingInput ?? 0) + bytes.length > MAX_WAITING_INPUT) return false;
    this.session?.files.frames(bytes);
    return true;
  }

  resize(cols: number, rows: number): void {
    this.session?.resize(cols, rows);
  }

  sendBreak(): void {
    this.session?.sendBreak();
  }

  /** Counts bytes that the browser confirms. Returns false if the count is impossible. */
  acknowledge(bytes: number): boolean {
    return this.session?.acknowledge(bytes) ?? true;
  }

  /**
   * Handles the loss of a socket. Keeps the session for a while, unless the user left deliberately
   * or nothing is open yet.
   */
  lost(socket: ProtocolSocket, isMeant: boolean): void {
    if (socket !== this.socket) return;
    this.socket = undefined;
    this.questions.giveUp();
    const { session, names } = this;
    const { keepSeconds, onForget } = this.parts;
    this.hasLeft = isMeant;
    if (this.over && names && isMeant) onForget(names.id);
    if (!session || !names || isMeant || keepSeconds === 0) {
      this.abandoned.abort(gone());
      session?.end('session_finished');
      return;
    }
    if (this.over) return;
    session.files.abort();
    session.guests.pause(true);
    session.mark('connection lost');
    const end = () =>
      session.end('session_left' satisfies ErrorCode, { minutes: Math.round(keepSeconds / 60) });
    this.away = { from: databaseClock.date(), timer: setTimeout(end, keepSeconds * 1000) };
  }

  /** Resumes on another socket of the same sign-in, and closes the previous one. */
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
    // Check the permission of an open session again before showing any of its output. A session
    // that has ended shows its last output to an address from which the user may connect.
    await session.moveTo(person.remoteAddr);
    if (!this.over) await session.recheck();
    if (socket.isOver) return;
    session.files.abort();
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
    if (this.currentNotice) socket.send(this.currentNotice);
    if (this.lock !== null) socket.send({ type: 'locked', message: this.lock });
    if (session.guests.count > 0) this.guests(session.guests.list);
    socket.hold(this.isHeld);
    session.resize(message.cols, message.rows);
  }

  private comeBack(person: Person): void {
    const { away, session } = this;
    this.away = undefined;
    if (!away || !session) return;
    session.guests.pause(false);
    session.mark('connection restored');
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
      .addGap(id, { from, to: databaseClock.date(), remoteAddr })
      .catch((error: unknown) =>
        ports.log.error({ session: id, err: error }, 'an interruption could not be written'),
      );
  }
}
