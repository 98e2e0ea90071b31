import type { ApprovalProgress, ConnectStage, Language, Problem } from '@sallyport/contract';
import type { ChannelWriter, ServerChannel } from '@sallyport/ssh';
import { RELAY_HOLD_SECONDS } from '../../limits.ts';
import type { Person } from '../../ports/people.ts';
import type { ShellRequest, TargetExit, TerminalSize } from '../../protocols/connector.ts';
import { wordProblem } from '../../refusal.ts';
import { databaseOpener, openDriver } from '../../sessions/database/open-database.ts';
import type { ConnectionRequest } from '../../sessions/dial.ts';
import type { ExecClient, ExecSession } from '../../sessions/exec/exec-session.ts';
import { execOpener } from '../../sessions/exec/open-exec.ts';
import type { SessionOpener } from '../../sessions/open-session.ts';
import type { Session } from '../../sessions/session.ts';
import type { SessionClient } from '../../sessions/session-client.ts';
import { terminalOpener } from '../../sessions/terminal/open-terminal.ts';
import { gone, openFor } from '../open-for.ts';
import { SshDatabase } from './databases/ssh-database.ts';
import type { SshContext } from './ports.ts';
import { SshTerminal } from './terminal-client.ts';
import { OUR_EXIT, QUIET_ENDS, TextError, tell } from './text-error.ts';
import { sayWaits, words } from './words.ts';

/** An exec channel of an SSH client, without a terminal, as the client of a session. */
class SshExec implements ExecClient {
  session: ExecSession | undefined;
  private readonly channel: ServerChannel;
  private readonly writer: ChannelWriter;
  private readonly language: Language;
  private exit: TargetExit | undefined;
  private isOver = false;

  constructor(channel: ServerChannel, writer: ChannelWriter, language: Language) {
    this.channel = channel;
    this.writer = writer;
    this.language = language;
    writer.onDrain = () => this.session?.clientDrained();
  }

  readonly waitSeconds = RELAY_HOLD_SECONDS;

  stage(stage: ConnectStage, _host?: string, progress?: ApprovalProgress): void {
    if (stage === 'approval') this.say(sayWaits(this.language, progress));
  }

  private say(text: string): void {
    if (!this.isOver) tell(this.writer, text);
  }

  askCredentials(): Promise<never> {
    return Promise.reject(new TextError(words.needsTerminal));
  }

  opened(): void {
    if (this.isOver) return;
    this.channel.on('data', (chunk: Buffer) => {
      if (this.session?.input(chunk) === false) this.channel.pause();
    });
    this.channel.once('end', () => this.session?.inputEnded());
    this.channel.resume();
  }

  output(chunk: Buffer, isError: boolean): boolean {
    return this.writer.write(chunk, isError);
  }

  exited(exit: TargetExit): void {
    this.exit = exit;
  }

  notice(problem: Problem): void {
    this.say(wordProblem(problem, this.language));
  }

  inputDrained(): void {
    if (!this.isOver) this.channel.resume();
  }

  closed(problem: Problem): void {
    if (this.isOver) return;
    this.isOver = true;
    const isQuiet = QUIET_ENDS.has(problem.code);
    if (!isQuiet) tell(this.writer, wordProblem(problem, this.language));
    this.writer.end(isQuiet ? this.exit : { code: OUR_EXIT });
  }
}

/** The user and context of the sessions. */
export interface SessionOwner {
  readonly context: SshContext;
  person(language: Language): Person;
}

/** An accepted channel, its writer, and the language of its user. */
export interface OpenChannel {
  readonly channel: ServerChannel;
  readonly writer: ChannelWriter;
  readonly language: Language;
}

interface Signaled {
  signal(name: string): void;
}

/** Opens the sessions of one channel, one at a time. */
export class ChannelSessions {
  private readonly owner: SessionOwner;
  private terminal: SshTerminal | undefined;
  private session: (Session & Partial<Signaled>) | undefined;
  private controller: AbortController | undefined;
  /** A signal from before the session was open. */
  private earlySignal: string | undefined;
  private hasLeft = false;

  constructor(owner: SessionOwner) {
    this.owner = owner;
  }

  resize(size: TerminalSize): void {
    this.terminal?.resize(size);
  }

  /** Sends a signal to the session, or keeps it until the session is open. */
  signal(name: string): void {
    if (this.session) this.session.signal?.(name);
    else this.earlySignal = name;
  }

  /** Forgets a session that has ended, so that another can open. */
  closed(): void {
    this.terminal = undefined;
    this.session = undefined;
  }

  /** Ends the session, or the attempt to open it: the client has left. */
  left(): void {
    this.hasLeft = true;
    this.controller?.abort(gone());
    this.session?.end('session_finished');
  }

  /** Opens a terminal. `onClosed` returns the channel; by default the channel closes. */
  async openTerminal(
    { channel, writer, language }: OpenChannel,
    request: ConnectionRequest,
    shell: ShellRequest,
    onClosed?: () => void,
  ): Promise<void> {
    const client = new SshTerminal({ channel, writer, size: shell, language, onClosed });
    this.terminal = client;
    const opener = terminalOpener({
      client,
      size: shell,
      recordings: this.owner.context.recordings,
    });
    await this.open(request, language, client, {
      ...opener,
      begin: async (parts) => {
        client.session = await opener.begin(parts);
        return client.session;
      },
    });
  }

  /** Opens a database prompt, or runs a command in it. */
  async openDatabase(
    { channel, writer, language }: OpenChannel,
    request: ConnectionRequest,
    {
      command,
      size,
      onClosed = (exit) => writer.end(exit),
    }: {
      readonly command?: string | undefined;
      readonly size: () => TerminalSize;
      readonly onClosed?: ((exit: TargetExit) => void) | undefined;
    },
  ): Promise<void> {
    const { ports, recordings } = this.owner.context;
    const client = new SshDatabase({
      channel,
      writer,
      language,
      size,
      folder: ports.disk.folder,
      ports,
      command,
      onClosed,
    });
    await this.open(
      request,
      language,
      client,
      databaseOpener({
        client,
        recordings,
        open: async (session, connection) => {
          const driver = await openDriver(session, connection);
          return client.attach(session, driver);
        },
      }),
    );
  }

  /** Runs a command, or a shell if it is undefined, without a terminal. */
  async openExec(
    { channel, writer, language }: OpenChannel,
    request: ConnectionRequest,
    command: string | undefined,
    environment: Readonly<Record<string, string>>,
  ): Promise<void> {
    const client = new SshExec(channel, writer, language);
    const opener = execOpener({
      client,
      request: { command, environment },
      recordings: this.owner.context.recordings,
    });
    await this.open(request, language, client, {
      ...opener,
      begin: async (parts) => {
        client.session = await opener.begin(parts);
        return client.session;
      },
    });
  }

  private async open<Opened extends Session & Partial<Signaled>>(
    request: ConnectionRequest,
    language: Language,
    client: SessionClient,
    opener: SessionOpener<Opened>,
  ): Promise<void> {
    const { context } = this.owner;
    this.session = await openFor({
      ports: context.ports,
      hub: context.hub,
      person: this.owner.person(language),
      request,
      client,
      opener,
      onBegin: (controller) => {
        this.controller = controller;
        if (this.hasLeft) controller.abort(gone());
      },
    });
    if (this.earlySignal !== undefined) this.session.signal?.(this.earlySignal);
    if (this.hasLeft) this.session.end('session_finished');
  }
}
