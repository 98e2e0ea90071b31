import {
  type ClientMessage,
  type ConnectMessage,
  type ErrorCode,
  isUuid,
  type PodPlace,
  type Problem,
  type ResumeMessage,
} from '@sallyport/contract';
import type { WebSocket } from 'ws';
import { relay } from '../../../platform/peers/relay.ts';
import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { Hub } from '../../hub.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import { isFault, problemOf, Refusal } from '../../refusal.ts';
import { type TerminalOpening, terminalOpener } from '../../sessions/terminal/open-terminal.ts';
import type { TerminalSession } from '../../sessions/terminal/terminal-session.ts';
import { endTogether, openPodSession, podTerminalOpener } from '../clusters/run-pod-command.ts';
import { openFor } from '../open-for.ts';
import { BrowserTerminal } from './browser-terminal.ts';
import type { KeptTerminals } from './kept-terminals.ts';
import { parseClientMessage } from './messages.ts';
import { CLOSE, ProtocolSocket } from './socket.ts';

const FIRST_MESSAGE_MS = 15_000;

export interface TerminalContext {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly recordings: Recordings;
  readonly kept: KeptTerminals<BrowserTerminal>;
}

interface BrowserOpening extends TerminalOpening {
  readonly client: BrowserTerminal;
}

/** Serves one terminal on an authenticated socket from the console's origin. */
export function serveTerminal(context: TerminalContext, socket: WebSocket, person: Person): void {
  new TerminalSocket(context, socket, person);
}

class TerminalSocket {
  private readonly context: TerminalContext;
  private readonly person: Person;
  private readonly socket: ProtocolSocket;
  private readonly waiting: NodeJS.Timeout;
  private hasConnected = false;
  private left = false;
  private size = { cols: 80, rows: 24 };
  /** Bytes of the browser are frames of a file transfer. */
  private sendsFrames = false;
  private terminal: BrowserTerminal | undefined;

  constructor(context: TerminalContext, socket: WebSocket, person: Person) {
    this.context = context;
    this.person = person;
    this.socket = new ProtocolSocket(socket, person.language, {
      onText: (text) => this.onText(text),
      onBytes: (bytes) => {
        const { terminal } = this;
        const isTaken = this.sendsFrames ? terminal?.frames(bytes) : terminal?.input(bytes);
        if (isTaken === false) this.sendAway(CLOSE.tooBig, 'input faster than the server reads it');
      },
      onGone: (isMeant) => this.gone(isMeant),
    });
    this.waiting = setTimeout(
      () => this.sendAway(CLOSE.policy, 'connect expected'),
      FIRST_MESSAGE_MS,
    );
  }

  private onText(text: string): void {
    const message = parseClientMessage(text);
    if (!message) this.sendAway(CLOSE.invalid, 'malformed message');
    else if (message.type === 'connect' || message.type === 'resume') this.begin(message);
    else if (!this.hasConnected) this.sendAway(CLOSE.policy, 'connect expected');
    else this.onMessage(message);
  }

  private onMessage(message: Exclude<ClientMessage, ConnectMessage | ResumeMessage>): void {
    if (message.type === 'resize') {
      this.size = { cols: message.cols, rows: message.rows };
      this.terminal?.resize(message.cols, message.rows);
    } else if (message.type === 'ack') {
      if (this.terminal && !this.terminal.acknowledge(message.bytes))
        this.sendAway(CLOSE.policy, 'more acknowledged than sent');
    } else if (message.type === 'break') this.terminal?.sendBreak();
    else if (message.type === 'transfer') this.sendsFrames = message.on;
    else if (message.type === 'ping') this.socket.send({ type: 'pong' });
    else if (message.type === 'factor') {
      if (!this.terminal?.questions.answerCode(message.code))
        this.sendAway(CLOSE.policy, 'no code asked for');
    } else if (message.type === 'reason') {
      if (!this.terminal?.questions.answerCode(message.text))
        this.sendAway(CLOSE.policy, 'no reason asked for');
    } else if (!this.terminal?.questions.answerCredentials(message.username, message.password))
      this.sendAway(CLOSE.policy, 'credentials not asked for');
  }

  private begin(message: ConnectMessage | ResumeMessage): void {
    clearTimeout(this.waiting);
    if (this.hasConnected) {
      this.sendAway(CLOSE.policy, 'already connected');
      return;
    }
    this.hasConnected = true;
    this.size = { cols: message.cols, rows: message.rows };
    const { ports } = this.context;
    const work = message.type === 'connect' ? this.open(message) : this.resume(message);
    work.catch((error: unknown) => {
      const problem = problemOf(error);
      if (isFault(problem)) ports.log.error({ err: error }, 'a terminal could not be opened');
      this.finish(problem);
    });
  }

  private async open(message: ConnectMessage): Promise<void> {
    const { ports, recordings, kept } = this.context;
    const { keepSeconds } = await ports.limits.read();
    const { person, socket } = this;
    const terminal = new BrowserTerminal({
      ports,
      person,
      socket,
      keepSeconds: person.loginId === undefined ? 0 : keepSeconds,
      onOpen: (id, opened) => kept.add(id, opened),
      onForget: (id) => kept.remove(id),
      onEndAway: (id, seconds) => kept.end(id, seconds),
    });
    this.terminal = terminal;
    if (this.left) return;
    const opening = { client: terminal, size: this.size, recordings };
    const session = message.pod
      ? await this.openAtPod(message, message.pod, opening)
      : await this.openAtAsset(message, opening);
    session.resize(this.size.cols, this.size.rows);
    void session.ended
      .then(() => ports.invitations?.sessionEnded(session.row.id))
      .catch((error: unknown) =>
        ports.log.error(
          { session: session.row.id, err: error },
          'the invitations of a session could not be ended',
        ),
      );
  }

  private openAtAsset(
    { asset, system_user, protocol }: ConnectMessage,
    opening: BrowserOpening,
  ): Promise<TerminalSession> {
    const { hub, ports } = this.context;
    const { client } = opening;
    const opener = terminalOpener(opening);
    return openFor({
      ports,
      hub,
      person: this.person,
      request: { assetId: asset, systemUserId: system_user, protocol },
      client,
      opener: {
        ...opener,
        begin: async (parts) => {
          const begun = await opener.begin(parts);
          client.begin(begun);
          return begun;
        },
      },
      onBegin: (controller) => client.abandonWith(controller),
    });
  }

  /** Opens a shell in a container, by the decision of every request to its cluster. */
  private async openAtPod(
    { asset: clusterId, system_user: systemUserId }: ConnectMessage,
    pod: PodPlace,
    opening: BrowserOpening,
  ): Promise<TerminalSession> {
    const { ports, hub } = this.context;
    const { person } = this;
    const { loginId } = person;
    const { client } = opening;
    if (!ports.pods || loginId === undefined) throw new Refusal('connect_denied');
    const plan = await ports.pods.prepare(person, { clusterId, systemUserId }, pod);
    const left = new AbortController();
    client.abandonWith(left);
    const session = await openPodSession(
      {
        ...plan,
        person: { ...person, loginId },
        clusterId,
        systemUserId,
        signal: left.signal,
      },
      { ports, hub },
      { client, onBegin: (begun) => client.begin(begun) },
      podTerminalOpener(plan, opening),
    );
    plan.keepUntil(session.ended);
    endTogether(plan.isOver, session);
    return session;
  }

  private async resume(message: ResumeMessage): Promise<void> {
    const terminal = this.context.kept.find(message.session, this.person);
    if (!terminal) {
      const far = await this.context.ports.elsewhere?.connect(
        'terminal',
        message.session,
        this.person,
      );
      if (far) this.moveTo(far, message);
      else this.finish({ code: await this.missingCode(message.session) });
      return;
    }
    await terminal.resume(this.socket, this.person, message);
    this.terminal = terminal;
  }

  /** Returns the reason for which the user's session is not open. */
  private async missingCode(session: string): Promise<ErrorCode> {
    const { sessions } = this.context.ports;
    const isInterrupted =
      isUuid(session) && (await sessions.isInterrupted(session, this.person.userId));
    return isInterrupted ? 'session_server_died' : 'session_gone';
  }

  /** Relays the browser to the server with the session. */
  private moveTo(far: WebSocket, message: ResumeMessage): void {
    far.once('open', () => far.send(JSON.stringify(message)));
    if (this.socket.isOver) far.terminate();
    else relay(this.socket.release(), far);
  }

  private finish(problem: Problem): void {
    this.socket.finish(problem);
  }

  private sendAway(code: number, reason: string): void {
    this.socket.close(code, reason);
    this.gone(true);
  }

  private gone(isMeant: boolean): void {
    clearTimeout(this.waiting);
    this.left = true;
    this.terminal?.lost(this.socket, isMeant);
  }
}
