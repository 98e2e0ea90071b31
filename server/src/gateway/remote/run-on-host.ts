import iconv from 'iconv-lite';
import type { Connection, TargetEnd, TargetExec, TargetExit } from '../protocols/connector.ts';
import { Refusal } from '../refusal.ts';
import { type Become, Escalation } from './escalation.ts';
import type { ModuleAnswer, RemoteModule, RemotePlatform } from './module.ts';
import { CUT_STATUS, payloadOf } from './wire.ts';
import { isRemoteCode, type RemoteProblem, RemoteRefusal } from './words.ts';

/** What is kept of a host's output and of its errors, in bytes. */
export const MOST_OUTPUT = 256 * 1024;

/** Work for one connected host. */
export interface HostWork<Result> {
  readonly module: RemoteModule<never, Result>;
  readonly values: readonly string[];
  readonly isCheck: boolean;
  readonly become: Become;
  readonly platform: RemotePlatform;
  readonly charset: 'utf8' | 'gbk';
  /** Output as it comes, in UTF-8; only for modules whose output is the result. */
  readonly onOutput?: ((text: string, isError: boolean) => void) | undefined;
  /** Answers a module that asks whether what it did is kept; without an answer it is taken back. */
  readonly decide?: (() => Promise<boolean>) | undefined;
  readonly signal: AbortSignal;
}

/** What a host said. */
export interface HostAnswer<Result> {
  /** What was changed, or would be in a dry run. */
  readonly changed: readonly string[];
  readonly result: Result;
}

/** Runs a module over an open connection, which stays open for the next one. @throws RemoteRefusal, Refusal, or the reason of the signal */
export async function runOnHost<Result>(connection: Connection, work: HostWork<Result>): Promise<HostAnswer<Result>> {
  const { module, signal, charset } = work;
  if (!connection.openExec) throw new RemoteRefusal('remote_account');
  const output = new Kept(charset);
  const errors = new Kept(charset);
  let exec: TargetExec | undefined;
  let status: number | undefined;
  const waiting: Buffer[] = [];
  const write = (chunk: Buffer) => (exec ? exec.write(chunk) : waiting.push(chunk));
  const escalation = new Escalation(work.become, work.platform, (line) => write(iconvOf(line, charset)));
  const ended = await new Promise<TargetEnd>((done, failed) => {
    const abort = () => failed(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    let asked = false;
    const listen = (text: string, isError: boolean) => {
      work.onOutput?.(text, isError);
      if (asked || isError || !work.decide || !/(^|\n)asks\n/.test(output.text())) return;
      asked = true;
      work.decide().then(
        (isKept) => write(Buffer.from(isKept ? 'keep\n' : 'undo\n')),
        (error: unknown) => {
          write(Buffer.from('undo\n'));
          failed(error);
        },
      );
    };
    const onOutput = (chunk: Buffer, isError: boolean) => {
      if (escalation.isReady) return (isError ? errors : output).add(chunk, (text) => listen(text, isError));
      if (isError) return escalation.onErrors(chunk);
      const rest = escalation.onOutput(chunk);
      if (!escalation.isReady) return;
      write(
        payloadOf(
          module,
          work.values.map((value) => iconvOf(value, charset)),
          work.isCheck,
        ),
      );
      if (rest.length > 0) output.add(rest, (text) => listen(text, false));
    };
    const events = {
      onOutput: (chunk: Buffer, isError: boolean) => {
        try {
          onOutput(chunk, isError);
        } catch (error) {
          failed(error);
        }
      },
      onDrain: () => undefined,
      onExit: (exit: TargetExit) => {
        status = 'code' in exit ? exit.code : undefined;
      },
      onEnd: (how: TargetEnd) => {
        signal.removeEventListener('abort', abort);
        done(how);
      },
    };
    connection.openExec?.({ command: escalation.command, keepsConnection: true }, events).then((opened) => {
      exec = opened;
      for (const chunk of waiting) opened.write(chunk);
    }, failed);
  });
  if (ended === 'lost') throw new Refusal('connect_target_lost');
  if (ended === 'flooded') throw new Refusal('connect_target_flooded');
  if (!escalation.isReady) throw escalation.ended(status);
  if (status === CUT_STATUS) throw new RemoteRefusal('remote_interrupted');
  const answer = { output: '', errors: errors.text(), isCut: output.isCut || errors.isCut, status };
  if (module.answer === 'output') return { changed: [], result: module.result({ ...answer, facts: [], output: output.text() }) };
  return readReport(module, { ...answer, output: output.text() });
}

function readReport<Result>(module: RemoteModule<never, Result>, answer: Omit<ModuleAnswer, 'facts'>): HostAnswer<Result> {
  const changed: string[] = [];
  const facts: (readonly [string, string])[] = [];
  for (const line of answer.output.split('\n')) {
    const [word = '', first = '', ...others] = line.split(' ');
    const rest = others.join(' ');
    if (word === 'changed') changed.push(first);
    else if (word === 'fact') facts.push([first, rest]);
    else if (word === 'refused' || word === 'failed') throw new ReportedRefusal(problemIn(first, rest), answer.errors);
    else if (word === 'done') return { changed, result: module.result({ ...answer, output: '', facts }) };
  }
  throw new RemoteRefusal(answer.isCut ? 'remote_output' : 'remote_interrupted');
}

/** A reason that the script of a module gave, with what the programs of the host said. */
export class ReportedRefusal extends RemoteRefusal {
  readonly detail: string;

  constructor({ code, params }: RemoteProblem, errors: string) {
    super(isRemoteCode(code) ? code : 'remote_output', params);
    this.detail = errors.trim().slice(0, 1000);
  }
}

/** The one parameter of each code that a script names. */
const PARAMETERS: Readonly<Record<string, string>> = {
  remote_tool: 'tool',
  remote_system: 'system',
  remote_no_account: 'name',
  remote_undo: 'name',
  remote_root_account: 'name',
  remote_system_account: 'name',
  remote_no_shell: 'shell',
  remote_failed: 'step',
};

function problemIn(code: string, value: string): RemoteProblem {
  if (!isRemoteCode(code)) return { code: 'remote_output' };
  const parameter = PARAMETERS[code];
  return parameter ? { code, params: { [parameter]: value.slice(0, 100) } } : { code };
}

function iconvOf(text: string, charset: 'utf8' | 'gbk'): Buffer {
  return charset === 'gbk' ? iconv.encode(text, 'gb18030') : Buffer.from(text);
}

/** The beginning of a stream of text. */
class Kept {
  private readonly decoder: InstanceType<typeof TextDecoder>;
  private readonly parts: string[] = [];
  private bytes = 0;
  isCut = false;

  constructor(charset: 'utf8' | 'gbk') {
    this.decoder = new TextDecoder(charset === 'gbk' ? 'gb18030' : 'utf-8', { ignoreBOM: true });
  }

  add(chunk: Buffer, onText: (text: string) => void): void {
    const kept = chunk.subarray(0, MOST_OUTPUT - this.bytes);
    if (kept.length < chunk.length) this.isCut = true;
    this.bytes += kept.length;
    if (kept.length === 0) return;
    const text = this.decoder.decode(kept, { stream: true });
    this.parts.push(text);
    onText(text);
  }

  text(): string {
    return this.parts.join('');
  }
}
