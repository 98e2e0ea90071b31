import type { ClientMessage, ConnectMessage, Problem } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { Hub } from '../../hub.ts';
import type { GatewayPorts, Person } from '../../ports.ts';
import { problemOf, type Refusal } from '../../refusal.ts';
import type { SessionClient } from '../../sessions/session-client.ts';
import { terminalOpener } from '../../sessions/terminal/open-terminal.ts';
import type { TerminalSession, TerminalSessionClient } from '../../sessions/terminal/terminal-session.ts';
import { gone, openFor } from '../open-for.ts';
import { parseClientMessage } from './messages.ts';
import { CLOSE, ProtocolSocket } from './socket.ts';

const FIRST_MESSAGE_MS = 15_000;

/** What a terminal socket works with. */
export interface TerminalContext {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly recordings: Recordings;
}

/** Serves one browser terminal on a socket that is already authenticated and of our own origin. */
export function serveTerminal(context: TerminalContext, socket: WebSocket, person: Person): void {
  new TerminalSocket(context, socket, person);
}

class TerminalSocket implements TerminalSessionClient {
  private readonly context: TerminalContext;
  private readonly person: Person;
  private readonly socket: ProtocolSocket;
  private readonly waiting: NodeJS.Timeout;
  private asked = false;
  private left = false;
  private controller: AbortController | undefined;
  private size = { cols: 80, rows: 24 };
  private session: TerminalSession | undefined;
  private answer: { readonly done: (given: { username: string; password: string }) => void; readonly failed: (reason: Refusal) => void } | undefined;

  constructor(context: TerminalContext, socket: WebSocket, person: Person) {
    this.context = context;
    this.person = person;
    this.socket = new ProtocolSocket(socket, person.language, {
      onText: (text) => this.onText(text),
      onBytes: (bytes) => {
        if (this.session && !this.session.input(bytes)) this.sendAway(CLOSE.tooBig, 'input faster than the server reads it');
      },
      onGone: () => this.gone(),
    });
    this.waiting = setTimeout(() => this.sendAway(CLOSE.policy, 'connect expected'), FIRST_MESSAGE_MS);
  }

  stage(stage: Parameters<SessionClient['stage']>[0], host?: string): void {
    this.socket.send({ type: 'stage', stage, ...(host === undefined ? {} : { host }) });
  }

  askCredentials(username: string, reason: 'manual' | 'rejected'): Promise<{ username: string; password: string }> {
    return new Promise((done, failed) => {
      this.answer = { done, failed };
      this.socket.send({ type: 'need_credentials', username, reason });
    });
  }

  opened(session: { readonly id: string; readonly asset: string; readonly account: string }): void {
    this.socket.send({ type: 'open', session: session.id, asset: session.asset, account: session.account });
  }

  output(chunk: Buffer): void {
    this.socket.sendBytes(chunk);
  }

  holdInput(on: boolean): void {
    this.socket.hold(on);
  }

  closed(problem: Problem): void {
    this.socket.finish(problem);
  }

  private onText(text: string): void {
    const message = parseClientMessage(text);
    if (!message) this.sendAway(CLOSE.invalid, 'malformed message');
    else if (message.type === 'connect') this.connect(message);
    else if (!this.asked) this.sendAway(CLOSE.policy, 'connect expected');
    else this.onMessage(message);
  }

  private onMessage(message: Exclude<ClientMessage, ConnectMessage>): void {
    if (message.type === 'resize') {
      this.size = { cols: message.cols, rows: message.rows };
      this.session?.resize(message.cols, message.rows);
    } else if (message.type === 'ack') {
      if (this.session && !this.session.acknowledge(message.bytes)) this.sendAway(CLOSE.policy, 'more acknowledged than sent');
    } else {
      const { answer } = this;
      this.answer = undefined;
      if (answer) answer.done({ username: message.username, password: message.password });
      else this.sendAway(CLOSE.policy, 'credentials not asked for');
    }
  }

  private connect(message: ConnectMessage): void {
    clearTimeout(this.waiting);
    if (this.asked) {
      this.sendAway(CLOSE.policy, 'already connected');
      return;
    }
    this.asked = true;
    this.size = { cols: message.cols, rows: message.rows };
    void this.open(message);
  }

  private async open(message: ConnectMessage): Promise<void> {
    const { hub, ports, recordings } = this.context;
    try {
      this.session = await openFor({
        ports,
        hub,
        person: this.person,
        request: { assetId: message.asset, systemUserId: message.system_user, protocol: message.protocol },
        client: this,
        opener: terminalOpener({ client: this, size: this.size, recordings }),
        onBegin: (controller) => {
          this.controller = controller;
          if (this.left) controller.abort(gone());
        },
      });
      this.session.resize(this.size.cols, this.size.rows);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === 'internal') ports.log.error({ err: error }, 'a terminal could not be opened');
      this.socket.finish(problem);
    }
  }

  private sendAway(code: number, reason: string): void {
    this.socket.close(code, reason);
    this.gone();
  }

  private gone(): void {
    clearTimeout(this.waiting);
    this.left = true;
    const left = gone();
    this.answer?.failed(left);
    this.answer = undefined;
    this.controller?.abort(left);
    this.session?.end('session_finished');
  }
}
