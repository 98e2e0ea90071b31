import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readSync, truncateSync, writeSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirePeers } from '../peers.ts';
import { removeFolder } from '../remove-folder.ts';

/** Memory that FileZilla shares with its engine: one buffer, to keep the turns simple. */
const BUFFER = 262_144;
/** The file descriptor of that memory in the engine. */
const MEMORY_FD = 3;
/** The engine's names for a new transfer and for "append to the local file". */
const FROM_START = '0';

/**
 * Messages of `fzsftp`, protocol version 11, in the order of their first character from '0' on,
 * with their number of lines. FileZilla's sources have them in `engine/sftp/event.h`.
 */
const MESSAGES: readonly (readonly [name: string, lines: number])[] = [
  ['reply', 1],
  ['done', 1],
  ['error', 1],
  ['verbose', 1],
  ['info', 1],
  ['status', 1],
  ['received', 1],
  ['sent', 1],
  ['entry', 3],
  ['host key', 2],
  ['changed host key', 2],
  ['better host key', 2],
  ['password', 1],
  ['transferred', 1],
  ['preamble', 1],
  ['instruction', 1],
  ['may receive', 0],
  ['may send', 0],
  ...Array.from({ length: 8 }, () => ['algorithm', 1] as const),
  ['size', 0],
  ['open', 1],
  ['next buffer', 1],
  ['finish', 1],
];

/** The result of a command: `isDone` is false if FileZilla would show an error. */
export interface EngineResult {
  readonly isDone: boolean;
  /** Replies, errors and prompts, as FileZilla's log shows them. */
  readonly log: readonly string[];
  /** Names of a listed folder. */
  readonly names: readonly string[];
}

/**
 * `fzsftp`, the program with which FileZilla speaks SFTP. FileZilla sends it commands, answers its
 * prompts, and reads and writes the local files through shared memory; this class does the same.
 */
export class FileZillaEngine {
  private readonly child: ChildProcess;
  private readonly memory: number;
  private unread = '';
  private log: string[] = [];
  private names: string[] = [];
  private finish: ((isDone: boolean) => void) | undefined;
  private local: { path: string; isUpload: boolean; file: number; position: number } | undefined;
  /** Called with the position in the local file before each buffer, which waits for it. */
  onBuffer: (position: number) => unknown = () => undefined;

  private readonly directory: string;
  /** Answers to the prompts that follow. */
  private readonly answers: string[];

  private constructor(directory: string, answers: readonly string[]) {
    this.directory = directory;
    this.answers = [...answers];
    const path = join(directory, 'memory');
    this.memory = openSync(path, 'w+', 0o600);
    truncateSync(path, BUFFER);
    this.child = spawn('/usr/bin/fzsftp', ['-v'], {
      stdio: ['pipe', 'pipe', 'ignore', this.memory],
      env: { ...process.env, HOME: directory, LANG: 'C.UTF-8' },
    });
    this.child.stdin?.on('error', () => undefined);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.unread += text;
      this.readMessages();
    });
    this.child.on('exit', () => this.end(false));
  }

  /** Signs in with the answers to the prompts, in their order. */
  static async connect(
    { port, login }: { readonly port: number; readonly login: string },
    answers: readonly string[],
  ): Promise<{ engine: FileZillaEngine; signIn: EngineResult }> {
    requirePeers('filezilla');
    const directory = await mkdtemp(join(tmpdir(), 'sallyport-filezilla-'));
    const engine = new FileZillaEngine(directory, answers);
    // The engine greets first.
    await new Promise<boolean>((greeted) => {
      engine.finish = greeted;
    });
    return { engine, signIn: await engine.run(`open "${login}@127.0.0.1" ${port}`) };
  }

  /** Sends a command, such as `ls` or `cd "/tmp"`. */
  async run(command: string): Promise<EngineResult> {
    const isDone = await new Promise<boolean>((finish) => {
      this.finish = finish;
      this.write(command);
    });
    const [log, names] = [this.log, this.names];
    [this.log, this.names] = [[], []];
    return { isDone, log, names };
  }

  /** Downloads a file; `reget` continues the local one. */
  get(remote: string, local: string, command: 'get' | 'reget' = 'get'): Promise<EngineResult> {
    this.local = { path: local, isUpload: false, file: -1, position: 0 };
    return this.run(`${command} "${remote}" "${local}"`);
  }

  /** Uploads a file; `reput` continues the remote one. */
  put(local: string, remote: string, command: 'put' | 'reput' = 'put'): Promise<EngineResult> {
    this.local = { path: local, isUpload: true, file: -1, position: 0 };
    return this.run(`${command} "${local}" "${remote}"`);
  }

  /** Ends the program as a crash would. */
  kill(): void {
    this.child.kill('SIGKILL');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.stdin?.end();
      await once(this.child, 'exit');
    }
    closeSync(this.memory);
    await removeFolder(this.directory);
  }

  private write(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  private end(isDone: boolean): void {
    const { finish } = this;
    this.finish = undefined;
    finish?.(isDone);
  }

  private readMessages(): void {
    for (;;) {
      if (this.unread[0] === '\n') this.unread = this.unread.slice(1);
      if (this.unread === '') return;
      const [name, lines] = MESSAGES[this.unread.charCodeAt(0) - 48] ?? ['unknown', 1];
      const parts = this.unread.slice(1).split('\n');
      if (parts.length <= lines) return;
      this.unread = parts.slice(lines).join('\n');
      this.answer(name, parts[0] ?? '', parts.slice(0, lines));
    }
  }

  private answer(name: string, text: string, lines: readonly string[]): void {
    if (name === 'may receive') this.write('-0-');
    else if (name === 'may send') this.write('-1-');
    else if (name === 'host key') this.write('y');
    else if (name === 'password') {
      this.log.push(text);
      this.write(this.answers.shift() ?? '');
    } else if (name === 'entry') this.names.push(lines[2] ?? '');
    else if (['error', 'status', 'instruction'].includes(name)) this.log.push(text);
    else if (name === 'reply') {
      this.log.push(text);
      this.end(true);
    } else if (name === 'done') this.end(text === '1');
    else void this.answerFile(name, text);
  }

  private async answerFile(name: string, text: string): Promise<void> {
    const { local } = this;
    if (!local) return;
    if (name === 'open') {
      const isContinued = text !== FROM_START;
      local.file = openSync(local.path, local.isUpload ? 'r' : isContinued ? 'r+' : 'w');
      const size = fstatSync(local.file).size;
      local.position = local.isUpload ? Number(text) : size;
      this.write(`-${MEMORY_FD} ${BUFFER} ${local.position}`);
    } else if (name === 'next buffer') {
      await this.onBuffer(local.position);
      const bytes = local.isUpload ? this.fill(local) : BUFFER;
      if (!local.isUpload) this.flush(local, Number(text));
      this.write(bytes === 0 ? '-' : `-0 ${bytes}`);
    } else if (name === 'finish') {
      this.flush(local, Number(text));
      closeSync(local.file);
      this.write('-1');
    }
  }

  /** Reads the next bytes of the local file into the shared memory. */
  private fill(local: { file: number; position: number }): number {
    const bytes = Buffer.alloc(BUFFER);
    const read = readSync(local.file, bytes, 0, BUFFER, local.position);
    writeSync(this.memory, bytes, 0, read, 0);
    local.position += read;
    return read;
  }

  /** Appends bytes of the shared memory to the local file. */
  private flush(local: { file: number; position: number }, count: number): void {
    const bytes = Buffer.alloc(count);
    readSync(this.memory, bytes, 0, count, 0);
    writeSync(local.file, bytes, 0, count, local.position);
    local.position += count;
  }
}
