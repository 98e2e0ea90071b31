import type {
  ClipboardRights,
  DesktopConnectMessage,
  DesktopFacts,
  FileRights,
  Problem,
} from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { Hub } from '../../hub.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';
import { isFault, problemOf, Refusal, wordProblem } from '../../refusal.ts';
import type { DesktopSession } from '../../sessions/desktop/desktop-session.ts';
import type { DesktopSessionClient } from '../../sessions/desktop/desktop-session-client.ts';
import { desktopOpener } from '../../sessions/desktop/open-desktop.ts';
import type { OpenedSession, SessionClient } from '../../sessions/session-client.ts';
import { gone, openFor } from '../open-for.ts';
import { parseDesktopMessage, stageMessage } from './messages.ts';
import { Questions } from './questions.ts';
import { CLOSE, ProtocolSocket } from './socket.ts';

const FIRST_MESSAGE_MS = 15_000;

export interface DesktopContext {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly recordings: Recordings;
}

/**
 * Serves one desktop on an authenticated socket from the console's origin. The session ends with
 * its socket, because a desktop cannot resume in the middle.
 */
export function serveDesktop(context: DesktopContext, socket: WebSocket, person: Person): void {
  new DesktopSocket(context, socket, person);
}

class DesktopSocket implements DesktopSessionClient {
  private readonly context: DesktopContext;
  private readonly person: Person;
  private readonly socket: ProtocolSocket;
  private readonly waiting: NodeJS.Timeout;
  private readonly questions = new Questions();
  private readonly abandoned = new AbortController();
  private hasConnected = false;
  private session: DesktopSession | undefined;

  constructor(context: DesktopContext, socket: WebSocket, person: Person) {
    this.context = context;
    this.person = person;
    this.socket = new ProtocolSocket(socket, person.language, {
      onText: (text) => this.onText(text),
      onBytes: (bytes) => {
        if (this.session?.input(bytes) === false)
          this.sendAway(CLOSE.tooBig, 'input faster than the server reads it');
      },
      onGone: () => this.gone(),
    });
    this.waiting = setTimeout(
      () => this.sendAway(CLOSE.policy, 'connect expected'),
      FIRST_MESSAGE_MS,
    );
  }

  stage(...facts: Parameters<SessionClient['stage']>): void {
    this.socket.send(stageMessage(...facts));
  }

  askCredentials(
    username: string,
    reason: 'manual' | 'rejected',
  ): Promise<{ username: string; password: string }> {
    this.socket.send({ type: 'need_credentials', username, reason });
    return this.questions.forCredentials();
  }

  askFactor(again: boolean): Promise<string> {
    this.socket.send({ type: 'need_factor', again });
    return this.questions.forCode();
  }

  async askReason(): Promise<{ reason: string }> {
    this.socket.send({ type: 'need_reason' });
    return { reason: await this.questions.forCode() };
  }

  opened({ id, asset, account, oldAlgorithms }: OpenedSession): void {
    this.socket.send({
      type: 'open',
      session: id,
      asset,
      account,
      keeps: 0,
      old: oldAlgorithms.join(', '),
    });
  }

  desktop(facts: DesktopFacts, areKeysRecorded: boolean): void {
    this.socket.send({ type: 'desktop', ...facts, keys_recorded: areKeysRecorded });
  }

  notice(problem: Problem, isOver: boolean): void {
    this.socket.send({
      type: 'notice',
      message: wordProblem(problem, this.person.language),
      over: isOver,
    });
  }

  clipboard({ copy, paste }: ClipboardRights): void {
    this.socket.send({ type: 'clipboard', copy, paste });
  }

  files({ upload, download }: FileRights): void {
    this.socket.send({ type: 'files', upload, download });
  }

  resizable(): void {
    this.socket.send({ type: 'resizable' });
  }

  driveState(...[state]: Parameters<DesktopSessionClient['driveState']>): void {
    this.socket.send({ type: 'drive_state', ...state });
  }

  driveAnswer(...[id, answer]: Parameters<DesktopSessionClient['driveAnswer']>): Promise<void> {
    const content =
      answer instanceof Refusal
        ? { error: wordProblem(answer.problem, this.person.language) }
        : answer;
    return new Promise((done) => this.socket.send({ type: 'drive', id, ...content }, done));
  }

  output(bytes: Buffer): void {
    this.socket.sendBytes(bytes);
  }

  holdInput(on: boolean): void {
    this.socket.hold(on);
  }

  closed(problem: Problem): void {
    this.socket.finish(problem);
  }

  private onText(text: string): void {
    const message = parseDesktopMessage(text);
    if (!message) this.sendAway(CLOSE.invalid, 'malformed message');
    else if (message.type === 'connect') this.begin(message);
    else if (!this.hasConnected) this.sendAway(CLOSE.policy, 'connect expected');
    else if (message.type === 'ping') this.socket.send({ type: 'pong' });
    else if (message.type === 'ack') {
      if (this.session?.acknowledge(message.bytes) === false)
        this.sendAway(CLOSE.policy, 'more acknowledged than sent');
    } else if (message.type === 'size') this.session?.resize(message);
    else if (message.type === 'drive') {
      if (this.session?.drive?.request(message) !== true)
        this.sendAway(CLOSE.policy, 'no drive, or too many requests');
    } else if (message.type === 'factor') {
      if (!this.questions.answerCode(message.code))
        this.sendAway(CLOSE.policy, 'no code asked for');
    } else if (message.type === 'reason') {
      if (!this.questions.answerCode(message.text))
        this.sendAway(CLOSE.policy, 'no reason asked for');
    } else if (!this.questions.answerCredentials(message.username, message.password))
      this.sendAway(CLOSE.policy, 'credentials not asked for');
  }

  private begin(message: DesktopConnectMessage): void {
    clearTimeout(this.waiting);
    if (this.hasConnected) {
      this.sendAway(CLOSE.policy, 'already connected');
      return;
    }
    this.hasConnected = true;
    this.open(message).catch((error: unknown) => {
      const problem = problemOf(error);
      if (isFault(problem))
        this.context.ports.log.error({ err: error }, 'a desktop could not be opened');
      this.socket.finish(problem);
    });
  }

  private async open({
    asset,
    remote_app,
    system_user,
    protocol,
    width,
    height,
    keyboard,
    colors,
  }: DesktopConnectMessage): Promise<void> {
    const { ports, hub, recordings } = this.context;
    const opener = desktopOpener({
      client: this,
      wish: { width, height, ...(keyboard && { keyboard }), ...(colors && { colors }) },
      recordings,
      live: () => hub.list(),
    });
    await openFor({
      ports,
      hub,
      person: this.person,
      request: {
        ...(remote_app ? { assetId: remote_app, kind: 'remote_app' } : { assetId: asset ?? '' }),
        systemUserId: system_user,
        protocol,
      },
      client: this,
      opener: {
        ...opener,
        begin: async (parts) => {
          this.session = await opener.begin(parts);
          return this.session;
        },
      },
      onBegin: (controller) => {
        const { signal } = this.abandoned;
        const giveUp = () => controller.abort(signal.reason);
        if (signal.aborted) giveUp();
        else signal.addEventListener('abort', giveUp);
      },
    });
  }

  private sendAway(code: number, reason: string): void {
    this.socket.close(code, reason);
    this.gone();
  }

  private gone(): void {
    clearTimeout(this.waiting);
    this.questions.giveUp();
    this.abandoned.abort(gone());
    this.session?.end('session_finished');
  }
}
