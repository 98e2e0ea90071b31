import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type IPty, spawn as spawnTerminal } from '@lydell/node-pty';
import type { PseudoTtyInfo, ServerChannel, Session } from '@sallyport/ssh';
import { type SftpBehavior, serveSftp } from './sftp-server.ts';

const SHELL = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';

/** User, home folder and environment of a session's programs. */
export interface SessionAccount {
  readonly username: string;
  readonly home: string;
  readonly acceptEnv?: RegExp;
  readonly sftp?: () => SftpBehavior;
  /** Requests that the server refuses after a sign-in. */
  readonly refuses?: (request: ProgramRequest | 'pty' | 'sftp') => boolean;
  /** Runs in place of a program, which it answers by itself. Returns false to run the program. */
  readonly runs?: (request: ProgramRequest, program: ScriptedProgram) => boolean;
}

type ProgramRequest = 'shell' | 'exec';

/** A requested program, in place of which a test sends messages. */
export interface ScriptedProgram {
  /** The number of the channel at the client. */
  readonly channel: number;
  readonly command: string;
  /** The requested terminal. */
  readonly terminal: PseudoTtyInfo | undefined;
  /** Its events are the further requests of the client. */
  readonly session: Session;
  /** Answers the request, and opens the channel. */
  readonly accept: () => ServerChannel;
}

/** A session channel of the test SSH server: a shell, a command, or SFTP. */
export class ShellSession {
  onEnd: () => void = () => undefined;
  private readonly account: SessionAccount;
  private readonly environment: Record<string, string>;
  private terminal: PseudoTtyInfo | undefined;
  private pty: IPty | undefined;
  private child: ChildProcess | undefined;

  constructor(session: Session, account: SessionAccount) {
    this.account = account;
    this.environment = {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: account.home,
      USER: account.username,
      LOGNAME: account.username,
      SHELL,
    };
    session.on('env', (accept, reject, { key, val }) => {
      if (!account.acceptEnv?.test(key)) return reject?.();
      this.environment[key] = val;
      accept?.();
    });
    session.on('pty', (accept, reject, info) => {
      if (account.refuses?.('pty')) return reject?.();
      this.terminal = info;
      accept?.();
    });
    session.on('window-change', (accept, _reject, { cols, rows }) => {
      this.resize(cols, rows);
      accept?.();
    });
    session.on('signal', (accept, _reject, { name }) => {
      this.signal(`SIG${name}` as NodeJS.Signals);
      accept?.();
    });
    session.on('shell', (accept, reject) => {
      if (account.refuses?.('shell')) return reject?.();
      const { terminal } = this;
      const channel = numberOf(session);
      if (account.runs?.('shell', { channel, command: '', session, terminal, accept })) return;
      this.start(accept(), ['-l']);
    });
    session.on('exec', (accept, reject, { command }) => {
      if (account.refuses?.('exec')) return reject?.();
      const { terminal } = this;
      const channel = numberOf(session);
      if (account.runs?.('exec', { channel, command, session, terminal, accept })) return;
      this.start(accept(), ['-c', command]);
    });
    session.on('subsystem', (accept, reject, { name }) => {
      if (name !== 'sftp' || account.refuses?.('sftp')) return reject?.();
      const channel = accept();
      channel.once('close', () => this.onEnd());
      serveSftp(channel, account.home, account.sftp);
    });
  }

  kill(): void {
    this.signal('SIGKILL');
  }

  private start(channel: ServerChannel, words: readonly string[]): void {
    channel.on('error', () => undefined);
    channel.once('close', () => {
      this.signal('SIGHUP');
      this.onEnd();
    });
    if (this.terminal) this.startInTerminal(channel, words, this.terminal);
    else this.startWithPipes(channel, words);
  }

  private startInTerminal(
    channel: ServerChannel,
    words: readonly string[],
    { cols, rows, term }: PseudoTtyInfo & { readonly term?: string },
  ): void {
    const { home: cwd } = this.account;
    const env = { ...this.environment, TERM: term ?? 'xterm-256color' };
    const pty = spawnTerminal(SHELL, [...words], { cols, rows, cwd, env, encoding: null });
    this.pty = pty;
    pty.onData((chunk) => {
      if (!channel.writable || channel.write(chunk)) return;
      pty.pause();
      channel.once('drain', () => pty.resume());
    });
    // The types promise text only, but bytes pass: other charsets are not UTF-8.
    const keyboard: { write(data: Buffer | string): void } = pty;
    channel.on('data', (chunk: Buffer) => keyboard.write(chunk));
    pty.onExit(({ exitCode, signal }) => {
      this.pty = undefined;
      leave(channel, exitCode, signal ? 'HUP' : undefined);
    });
  }

  private startWithPipes(channel: ServerChannel, words: readonly string[]): void {
    const { home: cwd } = this.account;
    // Own process group: signals also reach the shell's children.
    const child = spawn(SHELL, words, { cwd, env: this.environment, detached: true });
    this.child = child;
    child.stdin.on('error', () => undefined);
    channel.pipe(child.stdin);
    child.stdout.pipe(channel, { end: false });
    child.stderr.pipe(channel.stderr, { end: false });
    child.once('close', (code, signal) => {
      this.child = undefined;
      leave(channel, code ?? 0, signal?.slice(3));
    });
  }

  private resize(cols: number, rows: number): void {
    try {
      this.pty?.resize(cols, rows);
    } catch {
      // The terminal closes shortly before the end of its program is known.
    }
  }

  private signal(name: NodeJS.Signals): void {
    const pid = this.pty?.pid ?? this.child?.pid;
    if (pid === undefined) return;
    try {
      // Both kinds lead a process group.
      process.kill(-pid, name);
    } catch {
      // The process has already ended.
    }
  }
}

/** The number that the client gave to the channel of a session, which ssh2 offers to no caller. */
function numberOf(session: Session): number {
  const info: { readonly outgoing: { readonly id: number } } = Reflect.get(session, '_chanInfo');
  return info.outgoing.id;
}

function leave(channel: ServerChannel, code: number, signal: string | undefined): void {
  if (!channel.writable) return;
  if (signal) channel.exit(signal, false, '');
  else channel.exit(code);
  channel.end();
}
