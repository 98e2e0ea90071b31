import type { Connection } from '../../protocols/connector.ts';
import {
  askOnce,
  brokenOff,
  type Conversation,
  codeOf,
  converse,
  type ExitStatus,
} from '../conversation.ts';
import type { ModuleAnswer } from '../module.ts';
import { type HostAnswer, Kept, MAX_OUTPUT, ReportedRefusal, readReport } from '../report.ts';
import type { HostWork } from '../run-on-host.ts';
import { CUT_STATUS } from '../wire.ts';
import { RemoteRefusal } from '../words.ts';
import { ERRORS, LIMITED, OUTPUT, READY, SAYS, WINDOWS_COMMAND, windowsPayload } from './wire.ts';

const HEAD = '#< CLIXML';
const BEGIN = '<Objs';
const END = '</Objs>';
const ERROR = '<S S="Error">';

/**
 * Extracts readable text from PowerShell's standard error. PowerShell may write serialized objects
 * there (CLIXML): keeps error records, and drops progress and other records. Runs in linear time.
 */
export function readableErrors(text: string): string {
  if (!text.includes(HEAD)) return text;
  let readable = '';
  let at = 0;
  for (let begin = text.indexOf(BEGIN); begin >= 0; begin = text.indexOf(BEGIN, at)) {
    readable += text.slice(at, begin);
    const end = text.indexOf(END, begin);
    readable += errorsIn(text.slice(begin, end < 0 ? undefined : end));
    at = end < 0 ? text.length : end + END.length;
  }
  return (readable + text.slice(at)).replaceAll(/#< CLIXML\r?\n?/g, '');
}

function errorsIn(objects: string): string {
  let errors = '';
  for (let begin = objects.indexOf(ERROR); begin >= 0; begin = objects.indexOf(ERROR, begin)) {
    begin += ERROR.length;
    const end = objects.indexOf('</S>', begin);
    errors += unescaped(objects.slice(begin, end < 0 ? undefined : end));
    if (end < 0) break;
  }
  return errors;
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
};

function unescaped(text: string): string {
  return text
    .replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
}

/** Maximum characters per line: a chunk of output is 8 KiB before base64. */
const MAX_LINE = 64 * 1024;

/**
 * Runs a module over an open connection to a Windows host, which stays open for the next module.
 * @throws RemoteRefusal, Refusal, or the reason of the signal
 */
export async function runOnWindows<Result>(
  connection: Connection,
  work: HostWork<Result>,
): Promise<HostAnswer<Result>> {
  const { module, signal } = work;
  const { windows } = module;
  if ('refused' in windows) throw new RemoteRefusal(windows.refused);
  if (work.become.method !== 'none')
    throw new RemoteRefusal('remote_windows_become', { method: work.become.method });
  const host = new WindowsHost(work, windowsPayload(windows.script, work.values, work.isCheck));
  const status = await converse(
    connection,
    { command: WINDOWS_COMMAND },
    signal,
    (chunk, isError, near) => host.hear(chunk, isError, near),
  ).catch((error: unknown) => {
    throw brokenOff(error, host.hasOtherOutput);
  });
  if (status === CUT_STATUS) throw new RemoteRefusal('remote_interrupted');
  const answer = host.answer(status);
  const read = windows.result?.bind(windows) ?? module.result.bind(module);
  return readReport(host.report, (report: ModuleAnswer) => read(report), answer);
}

/** Parses the size-limited output of a Windows host. */
class WindowsHost {
  readonly report: string[] = [];
  private readonly work: HostWork<unknown>;
  private readonly payload: Buffer;
  private readonly ask: (near: Conversation) => void;
  /** Output of the program that a script ran. */
  private readonly output = new Kept('utf8');
  private readonly errors = new Kept('utf8');
  /** Error output of PowerShell itself, in an unknown code page; shown to users only. */
  private readonly shellErrors: Kept;
  private line = '';
  private letters = 0;
  private isReady = false;
  private isLimited = false;
  private exit: number | undefined;

  constructor(work: HostWork<unknown>, payload: Buffer) {
    this.work = work;
    this.payload = payload;
    this.shellErrors = new Kept(work.charset);
    this.ask = askOnce(work.decide);
  }

  /** True if another program than our script has written something. */
  get hasOtherOutput(): boolean {
    return (
      !this.isReady && (this.letters > 0 || (this.line + this.shellErrors.text()).trim() !== '')
    );
  }

  /** Feeds bytes of the channel. @throws RemoteRefusal */
  hear(chunk: Buffer, isError: boolean, near: Conversation): void {
    if (isError) {
      this.shellErrors.add(chunk);
      return;
    }
    const lines = (this.line + chunk.toString('latin1')).split('\n');
    this.line = lines.pop() ?? '';
    for (const line of lines) this.onLine(line.replace(/\r$/, ''), near);
    if (this.line.length > MAX_LINE) throw new RemoteRefusal('remote_output');
  }

  /** The answer besides the report. @throws RemoteRefusal if no script has run */
  answer(status: ExitStatus): Omit<ModuleAnswer, 'facts'> {
    if (this.line.trim() === LIMITED || this.isLimited)
      throw new RemoteRefusal('remote_windows_limited');
    // For example the error of cmd.exe for a missing program.
    if (
      !this.isReady &&
      (codeOf(status) !== undefined || (status === undefined && this.hasOtherOutput))
    )
      throw new ReportedRefusal(
        { code: 'remote_account' },
        readableErrors(this.shellErrors.text()),
      );
    if (!this.isReady) throw new RemoteRefusal('remote_interrupted');
    const isCut = this.output.isCut || this.errors.isCut;
    const errors = readableErrors(
      this.work.module.answer === 'output'
        ? this.errors.text()
        : this.shellErrors.text() + this.errors.text(),
    );
    return { output: this.output.text(), errors, isCut, status: this.exit };
  }

  private onLine(line: string, near: Conversation): void {
    if (line === LIMITED) this.isLimited = true;
    else if (line === READY && !this.isReady) {
      this.isReady = true;
      near.write(this.payload);
    } else if (!this.isReady) this.count(line);
    else if (line.startsWith(OUTPUT)) this.onProgram(line.slice(OUTPUT.length), false);
    else if (line.startsWith(ERRORS)) this.onProgram(line.slice(ERRORS.length), true);
    else if (line.startsWith(SAYS))
      this.onWord(
        Buffer.from(line.slice(SAYS.length), 'base64')
          .toString()
          .replaceAll(/[\r\n]+/g, ' '),
        near,
      );
  }

  private onProgram(encoded: string, isError: boolean): void {
    const text = (isError ? this.errors : this.output).add(Buffer.from(encoded, 'base64'));
    if (text !== '') this.work.onOutput?.(text, isError);
  }

  private onWord(text: string, near: Conversation): void {
    if (text === 'asks') this.ask(near);
    else if (text.startsWith('error ')) this.errors.add(Buffer.from(text.slice('error '.length)));
    else if (text.startsWith('status '))
      this.exit = Number.parseInt(text.slice('status '.length), 10);
    else {
      this.count(text);
      this.report.push(text);
    }
  }

  /** Limits kept output, and output of the login before the script. */
  private count(text: string): void {
    this.letters += text.length;
    if (this.letters > MAX_OUTPUT)
      throw new RemoteRefusal(this.isReady ? 'remote_output' : 'remote_account');
  }
}
