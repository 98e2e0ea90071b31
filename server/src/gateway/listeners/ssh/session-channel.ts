import type { Duplex } from 'node:stream';
import type { Language } from '@sallyport/contract';
import {
  ChannelWriter,
  execBytes,
  guardWindow,
  isSignalName,
  type ServerChannel,
  type Session as SessionRequests,
} from '@sallyport/ssh';
import { EXEC_WINDOW, MAX_COMMAND, MAX_ENVIRONMENT, MAX_ENVIRONMENT_VALUE } from '../../limits.ts';
import type { TerminalSize } from '../../protocols/connector.ts';
import { isFault, problemOf, Refusal, wordProblem } from '../../refusal.ts';
import { decodeName } from '../../sessions/files/paths.ts';
import { ChannelSessions, type SessionOwner } from './channel-sessions.ts';
import { type Destination, readTarget } from './destination.ts';
import { runMenu } from './menu/run-menu.ts';
import type { SignedInUser } from './ports.ts';
import { resolveTerminal } from './resolve.ts';
import { createFileServer } from './serve-files.ts';
import { type Pty, readPty, sizeOf } from './terminal-request.ts';
import { OUR_EXIT, TextError, tell } from './text-error.ts';
import { languageOf, words } from './words.ts';

/** Environment variables that reach the target: locale only. */
const PASSED = /^(?:LANG|LC_[A-Z]{1,20})$/;

/** Size for a client that has no terminal. */
const NO_TERMINAL = { cols: 80, rows: 24 } as const;

/** The connection of a channel. */
export interface ChannelOwner extends SessionOwner {
  readonly transport: Duplex;
  readonly user: SignedInUser;
  readonly destination: Destination;
  forget(channel: SessionChannel): void;
  rejectFlood(): void;
}

/**
 * One session channel: its terminal, environment, and shell, command or subsystem. RFC 4254,
 * section 6.
 */
export class SessionChannel {
  private readonly connection: ChannelOwner;
  private readonly environment: Record<string, string> = {};
  private pty: Pty | undefined;
  private readonly sessions: ChannelSessions;
  private hasStarted = false;
  private hasLeft = false;
  private channelWriter: ChannelWriter | undefined;
  private endFiles: () => void = () => undefined;

  constructor(connection: ChannelOwner, requests: SessionRequests) {
    this.connection = connection;
    this.sessions = new ChannelSessions(connection);
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
      this.sessions.resize(sizeOf(info));
      accept?.();
    });
    requests.on('signal', (accept, _reject, { name }) => {
      const plain = String(name).replace(/^SIG(?=[A-Z0-9]+$)/, '');
      if (isSignalName(plain)) this.sessions.signal(plain);
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
    this.sessions.left();
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
    guardWindow(channel, EXEC_WINDOW, () => this.connection.rejectFlood());
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
      const request = await resolveTerminal(context, connection.person(this.language), target);
      if (request.kind && !pty) throw new TextError(words.databaseTerminal);
      const { sessions, environment, language } = this;
      const open = { channel, writer, language };
      if (request.kind)
        await sessions.openDatabase(open, request, { command: runs, size: this.size });
      else if (pty)
        await sessions.openTerminal(open, request, {
          // The client may have resized its window while the names were resolved.
          ...(this.pty ?? pty),
          environment,
          command: runs,
        });
      else await sessions.openExec(open, request, runs, environment);
    } catch (error) {
      this.refuse(writer, error);
    }
  }

  /** Serves the files of the named server, or of all granted servers. */
  private async serveFiles(channel: ServerChannel, writer: ChannelWriter): Promise<void> {
    const { connection, language } = this;
    const files = await createFileServer({
      owner: connection,
      userId: connection.user.userId,
      target: connection.destination.target,
      channel,
      writer,
      language,
      onProblem: ({ code, params }) => {
        if (this.hasLeft) return;
        this.refuse(writer, new Refusal(code, params));
        this.endFiles();
      },
      onEnd: () => {
        this.endFiles();
        writer.end({ code: 0 });
      },
      onBegin: (end) => {
        this.endFiles = end;
        if (this.hasLeft) end();
      },
    });
    this.endFiles = files.end;
    if (this.hasLeft) this.endFiles();
    else files.start();
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
          const { sessions, environment, language } = this;
          const open = { channel, writer, language };
          const opening = request.kind
            ? sessions.openDatabase(open, request, { size: this.size, onClosed })
            : sessions.openTerminal(open, request, { ...(this.pty ?? pty), environment }, onClosed);
          opening.catch((error: unknown) => {
            // A session that had begun has already shown its reason.
            if (!isClosed) writer.write(Buffer.from(`${this.wordsOf(error).join('\r\n')}\r\n`));
            done();
          });
        });
        await closed;
        this.sessions.closed();
      },
    });
    writer.end({ code: 0 });
  }

  private readonly size = (): TerminalSize => this.pty ?? NO_TERMINAL;

  private get language(): Language {
    return languageOf(this.environment);
  }

  /** Shows the reason on the error output; a terminal has only one output. */
  private refuse(writer: ChannelWriter, error: unknown): void {
    const lines = this.wordsOf(error);
    if (this.pty) writer.write(Buffer.from(`${lines.join('\r\n')}\r\n`));
    else tell(writer, lines.join('\n'));
    writer.end({ code: OUR_EXIT });
  }

  private wordsOf(error: unknown): string[] {
    if (error instanceof TextError) return error.in(this.language);
    const problem = problemOf(error);
    if (isFault(problem))
      this.connection.context.ports.log.error(
        { err: error },
        'a session over SSH could not be opened',
      );
    return [wordProblem(problem, this.language)];
  }
}
