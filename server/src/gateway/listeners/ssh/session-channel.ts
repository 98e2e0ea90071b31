import type { Duplex } from 'node:stream';
import type { Language } from '@sallyport/contract';
import { ChannelWriter } from '../../../platform/ssh/channel-writer.ts';
import { execBytes } from '../../../platform/ssh/exec-bytes.ts';
import type { ServerChannel, Session as SessionRequests } from '../../../platform/ssh/ssh2.ts';
import { EXEC_WINDOW, MAX_COMMAND, MAX_ENVIRONMENT, MAX_ENVIRONMENT_VALUE } from '../../limits.ts';
import type { Person } from '../../ports/people.ts';
import type { ShellRequest, TargetExit } from '../../protocols/connector.ts';
import { guardWindow } from '../../protocols/ssh/backpressure.ts';
import { problemOf, Refusal, wordProblem } from '../../refusal.ts';
import { databaseOpener, openDriver } from '../../sessions/database/open-database.ts';
import type { ConnectionRequest } from '../../sessions/dial.ts';
import { execOpener } from '../../sessions/exec/open-exec.ts';
import { decodeName } from '../../sessions/files/names.ts';
import type { SessionOpener } from '../../sessions/open-session.ts';
import type { Session } from '../../sessions/session.ts';
import type { SessionClient } from '../../sessions/session-client.ts';
import { terminalOpener } from '../../sessions/terminal/open-terminal.ts';
import { gone, openFor } from '../open-for.ts';
import type { SshContext } from './context.ts';
import { SshDatabase } from './databases/ssh-database.ts';
import { type Destination, readTarget } from './destination.ts';
import { SshExec } from './exec-client.ts';
import { runMenu } from './menu/run-menu.ts';
import type { SignedInUser } from './ports.ts';
import { OUR_EXIT } from './quiet-ends.ts';
import { resolveTarget, resolveTerminal } from './resolve.ts';
import { Mounts } from './sftp/mounts.ts';
import { SftpServer } from './sftp/sftp-server.ts';
import { GrantedTree, targetTree } from './sftp/tree.ts';
import { SshTerminal } from './terminal-client.ts';
import { type Pty, readPty, sizeOf } from './terminal-request.ts';
import { TextError } from './text-error.ts';
import { languageOf, words } from './words.ts';

/** Environment variables that reach the target: locale only. */
const PASSED = /^(?:LANG|LC_[A-Z]{1,20})$/;
const SIGNALS = new Set([
  'ABRT',
  'ALRM',
  'FPE',
  'HUP',
  'ILL',
  'INT',
  'KILL',
  'PIPE',
  'QUIT',
  'SEGV',
  'TERM',
  'USR1',
  'USR2',
]);

/** Size for a client that has no terminal. */
const NO_TERMINAL = { cols: 80, rows: 24 } as const;

/**
 * Ends of a file session after which the next request opens a new one. Other ends close the
 * channel.
 */
const REOPENED: ReadonlySet<string> = new Set([
  'session_idle',
  'session_finished',
  'connect_target_lost',
  'connect_target_closed',
]);

/** The connection of a channel. */
export interface ChannelOwner {
  readonly context: SshContext;
  readonly transport: Duplex;
  readonly user: SignedInUser;
  readonly destination: Destination;
  person(language: Language): Person;
  forget(channel: SessionChannel): void;
  close(): void;
}

interface Signaled {
  signal(name: string): void;
}

/**
 * One session channel: its terminal, environment, and shell, command or subsystem. RFC 4254,
 * section 6.
 */
export class SessionChannel {
  private readonly connection: ChannelOwner;
  private readonly environment: Record<string, string> = {};
  private pty: Pty | undefined;
  private terminal: SshTerminal | undefined;
  private session: (Session & Partial<Signaled>) | undefined;
  private controller: AbortController | undefined;
  /** A signal from before the session was open. */
  private earlySignal: string | undefined;
  private hasStarted = false;
  private hasLeft = false;
  private channelWriter: ChannelWriter | undefined;
  private endFiles: () => void = () => undefined;

  constructor(connection: ChannelOwner, requests: SessionRequests) {
    this.connection = connection;
    requests.on('env', (accept, _reject, { key, val }) => {
      const isKept =
        PASSED.test(key) &&
        val.length <= MAX_ENVIRONMENT_VALUE &&
        Object.keys(this.environment).length < MAX_ENVIRONMENT;
      if (isKept) this.environment[key] = val;
      accept?.();
    });
    requests.on('pty', (accept, _reject, info) => {
      this.pty = readPty(info);
      accept?.();
    });
    requests.on('window-change', (accept, _reject, info) => {
      if (this.pty) this.pty = { ...this.pty, ...sizeOf(info) };
      this.terminal?.resize(sizeOf(info));
      accept?.();
    });
    requests.on('signal', (accept, _reject, { name }) => {
      const plain = String(name).replace(/^SIG/, '');
      if (SIGNALS.has(plain) && this.session) this.session.signal?.(plain);
      else if (SIGNALS.has(plain)) this.earlySignal = plain;
      accept?.();
    });
    requests.on('shell', (accept) => this.start(accept, undefined));
    requests.on('exec', (accept, reject, { command: text }) => {
      const bytes = execBytes();
      const command = bytes ? decodeName(bytes, 'utf8') : text;
      if (command.length > MAX_COMMAND) reject();
      else this.start(accept, command);
    });
    requests.on('subsystem', (accept, _reject, { name }) => {
      const channel = accept() as ServerChannel | undefined;
      if (!channel || this.hasStarted) return;
      this.hasStarted = true;
      const writer = this.take(channel);
      if (name === 'sftp')
        this.serveFiles(channel, writer).catch((error: unknown) => this.refuse(writer, error));
      else this.refuse(writer, new TextError(words.subsystemUnknown));
    });
    requests.on('close', () => this.left());
  }

  /** Ends the session: the client has disconnected or closed the channel. */
  left(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.connection.forget(this);
    this.controller?.abort(gone());
    this.session?.end('session_finished');
    this.endFiles();
  }

  /** Sends data that waited for the transport. */
  pump(): void {
    this.channelWriter?.pump();
  }

  private start(accept: () => ServerChannel, command: string | undefined): void {
    if (this.hasStarted) return;
    this.hasStarted = true;
    const channel = accept() as ServerChannel | undefined;
    if (channel) void this.run(channel, this.take(channel), command);
  }

  private take(channel: ServerChannel): ChannelWriter {
    channel.pause();
    channel.on('error', () => undefined);
    guardWindow(channel, EXEC_WINDOW, () => this.connection.close());
    this.channelWriter = new ChannelWriter(channel, this.connection.transport);
    return this.channelWriter;
  }

  private async run(
    channel: ServerChannel,
    writer: ChannelWriter,
    command: string | undefined,
  ): Promise<void> {
    const { pty, connection } = this;
    try {
      const { destination, user, context } = connection;
      // In `ssh -t bastion asset` the command is the name of the server.
      const target =
        destination.target ??
        (pty && command !== undefined ? readTarget(command.trim()) : undefined);
      const runs = destination.target ? command : undefined;
      if (!target && pty) {
        await this.openMenu(channel, writer, pty);
        return;
      }
      if (!target) throw new TextError(words.noTarget, { username: user.username });
      const request = await resolveTerminal(
        context.ssh.targets,
        context.ssh.databases,
        user.userId,
        target,
      );
      if (request.kind && !pty) throw new TextError(words.databaseTerminal);
      if (request.kind) await this.openDatabase(request, channel, writer, runs);
      else if (pty)
        await this.openTerminal(request, channel, writer, {
          ...pty,
          environment: this.environment,
          command: runs,
        });
      else await this.openExec(request, channel, writer, runs);
    } catch (error) {
      this.refuse(writer, error);
    }
  }

  /** Serves the files of the named server, or of all granted servers. */
  private async serveFiles(channel: ServerChannel, writer: ChannelWriter): Promise<void> {
    const { destination, user, context } = this.connection;
    const mounts = new Mounts({
      context,
      person: this.connection.person(this.language),
      onEnded: (problem) => {
        if (this.hasLeft || REOPENED.has(problem.code)) return;
        this.refuse(writer, new Refusal(problem.code, problem.params));
        this.endFiles();
      },
    });
    const { target } = destination;
    // Report problems of a named server immediately.
    const request = target && (await resolveTarget(context.ssh.targets, user.userId, target));
    if (request) await mounts.files(request);
    const tree = request
      ? targetTree(() => mounts.files(request))
      : new GrantedTree({
          targets: context.ssh.targets,
          userId: user.userId,
          files: (account) => mounts.files(account),
        });
    const server = new SftpServer({
      channel,
      writer,
      tree,
      language: this.language,
      log: context.ports.log,
      onEnd: () => {
        this.endFiles();
        writer.end({ code: 0 });
      },
    });
    this.endFiles = () => {
      void server.end().finally(() => mounts.end());
    };
    if (this.hasLeft) this.endFiles();
    else server.start();
  }

  /** Shows the menu, and the sessions opened from it, until the user leaves. */
  private async openMenu(channel: ServerChannel, writer: ChannelWriter, pty: Pty): Promise<void> {
    const { user, context } = this.connection;
    await runMenu({
      context,
      person: this.connection.person(this.language),
      name: user.username,
      channel,
      writer,
      size: () => this.pty ?? pty,
      wordsOf: (error) => this.wordsOf(error),
      connect: async (request) => {
        let isClosed = false;
        const closed = new Promise<void>((done) => {
          const onClosed = () => {
            isClosed = true;
            done();
          };
          const opening = request.kind
            ? this.openDatabase(request, channel, writer, undefined, onClosed)
            : this.openTerminal(
                request,
                channel,
                writer,
                { ...(this.pty ?? pty), environment: this.environment },
                onClosed,
              );
          opening.catch((error: unknown) => {
            // A session that had begun has already shown its reason.
            if (!isClosed) writer.write(Buffer.from(`${this.wordsOf(error).join('\r\n')}\r\n`));
            done();
          });
        });
        await closed;
        this.terminal = undefined;
        this.session = undefined;
      },
    });
    writer.end({ code: 0 });
  }

  private async openTerminal(
    request: ConnectionRequest,
    channel: ServerChannel,
    writer: ChannelWriter,
    shell: ShellRequest,
    onClosed?: () => void,
  ): Promise<void> {
    const client = new SshTerminal(channel, writer, shell, this.language, onClosed);
    this.terminal = client;
    const opener = terminalOpener({
      client,
      size: shell,
      recordings: this.connection.context.recordings,
    });
    await this.open(request, client, {
      ...opener,
      begin: async (parts) => {
        client.session = await opener.begin(parts);
        return client.session;
      },
    });
  }

  private async openDatabase(
    request: ConnectionRequest,
    channel: ServerChannel,
    writer: ChannelWriter,
    command: string | undefined,
    onClosed: (exit: TargetExit) => void = (exit) => writer.end(exit),
  ): Promise<void> {
    const { ports, recordings } = this.connection.context;
    const size = () => this.pty ?? NO_TERMINAL;
    const client = new SshDatabase({
      channel,
      writer,
      language: this.language,
      size,
      folder: ports.disk.folder,
      log: ports.log,
      command,
      onClosed,
    });
    await this.open(
      request,
      client,
      databaseOpener({
        client,
        recordings,
        open: async (session, connection) => {
          const driver = await openDriver(session, connection);
          client.attach(session, driver);
          return driver;
        },
      }),
    );
  }

  private async openExec(
    request: ConnectionRequest,
    channel: ServerChannel,
    writer: ChannelWriter,
    command: string | undefined,
  ): Promise<void> {
    const client = new SshExec(channel, writer, this.language);
    const opener = execOpener({
      client,
      request: { command, environment: this.environment },
      recordings: this.connection.context.recordings,
    });
    await this.open(request, client, {
      ...opener,
      begin: async (parts) => {
        client.session = await opener.begin(parts);
        return client.session;
      },
    });
  }

  private async open<Opened extends Session & Partial<Signaled>>(
    request: ConnectionRequest,
    client: SessionClient,
    opener: SessionOpener<Opened>,
  ): Promise<void> {
    const { context } = this.connection;
    this.session = await openFor({
      ports: context.ports,
      hub: context.hub,
      person: this.connection.person(this.language),
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

  private get language(): Language {
    return languageOf(this.environment);
  }

  /** Shows the reason on the error output; a terminal has only one output. */
  private refuse(writer: ChannelWriter, error: unknown): void {
    const lines = this.wordsOf(error);
    const text = this.pty ? `${lines.join('\r\n')}\r\n` : `sallyport: ${lines.join('\n')}\n`;
    writer.write(Buffer.from(text), !this.pty);
    writer.end({ code: OUR_EXIT });
  }

  private wordsOf(error: unknown): string[] {
    if (error instanceof TextError) return error.in(this.language);
    const problem = problemOf(error);
    if (problem.code === 'internal')
      this.connection.context.ports.log.error(
        { err: error },
        'a session over SSH could not be opened',
      );
    return [wordProblem(problem, this.language)];
  }
}
