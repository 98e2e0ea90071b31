import type { Charset } from '@sallyport/contract';
import { encodeExactly } from '../charsets.ts';
import type { Connection } from '../protocols/connector.ts';
import { askOnce, brokenOff, type Conversation, codeOf, converse } from './conversation.ts';
import { type Become, Escalation } from './escalation.ts';
import type { RemoteModule, RemotePlatform } from './module.ts';
import { type HostAnswer, Kept, readReport } from './report.ts';
import { CUT_STATUS, payloadOf } from './wire.ts';
import { RemoteRefusal } from './words.ts';

/**
 * Time after which the prompt of another program counts as the answer to our command. Some devices
 * start their command line instead, and would wait until the timeout.
 */
const PROMPT_MS = 10_000;

/** Work for one connected host. */
export interface HostWork<Result> {
  readonly module: RemoteModule<never, Result>;
  readonly values: readonly string[];
  readonly isCheck: boolean;
  readonly become: Become;
  readonly platform: RemotePlatform;
  readonly charset: Charset;
  /** Called with output in UTF-8 as it arrives; only for modules whose output is the result. */
  readonly onOutput?: ((text: string, isError: boolean) => void) | undefined;
  /** Decides whether to keep a change, for modules that ask. Without it the change is undone. */
  readonly decide?: (() => Promise<boolean>) | undefined;
  readonly signal: AbortSignal;
}

/**
 * Runs a module over an open connection, which stays open for the next module.
 * @throws RemoteRefusal, Refusal, or the reason of the signal
 */
export async function runOnHost<Result>(
  connection: Connection,
  work: HostWork<Result>,
): Promise<HostAnswer<Result>> {
  const { module, signal, charset } = work;
  const output = new Kept(charset);
  const errors = new Kept(charset);
  const ask = askOnce(work.decide);
  let near: Conversation | undefined;
  const escalation = new Escalation(work.become, work.platform, (line) =>
    near?.write(encoded(line, charset)),
  );
  const keep = (chunk: Buffer, isError: boolean, to: Conversation) => {
    const text = (isError ? errors : output).add(chunk);
    if (text === '') return;
    work.onOutput?.(text, isError);
    if (!isError && work.decide && /(^|\n)asks\n/.test(output.text())) ask(to);
  };
  const run = { command: escalation.command, charset };
  let prompt: NodeJS.Timeout | undefined;
  const hear = (chunk: Buffer, isError: boolean, to: Conversation) => {
    near = to;
    if (escalation.isReady) return keep(chunk, isError, to);
    if (isError) return escalation.onErrors(chunk);
    const rest = escalation.onOutput(chunk);
    clearTimeout(prompt);
    if (!escalation.isReady) {
      if (escalation.showsPrompt)
        prompt = setTimeout(() => to.fail(new RemoteRefusal('remote_account')), PROMPT_MS);
      return;
    }
    const values = work.values.map((value) => encoded(value, charset));
    to.write(payloadOf(module, values, work.isCheck));
    if (rest.length > 0) keep(rest, false, to);
  };
  const status = await converse(connection, run, signal, hear)
    .catch((error: unknown) => {
      throw escalation.isReady ? error : brokenOff(error, escalation.hasOtherOutput);
    })
    .finally(() => clearTimeout(prompt));
  if (!escalation.isReady) throw escalation.ended(status);
  if (status === CUT_STATUS) throw new RemoteRefusal('remote_interrupted');
  const answer = {
    output: '',
    errors: errors.text(),
    isCut: output.isCut || errors.isCut,
    status: codeOf(status),
  };
  if (module.answer === 'output')
    return { changed: [], result: module.result({ ...answer, facts: [], output: output.text() }) };
  return readReport(output.text().split('\n'), (report) => module.result(report), answer);
}

/** @throws RemoteRefusal if the charset lacks a character: another one would change the value */
function encoded(text: string, charset: Charset): Buffer {
  const bytes = encodeExactly(text, charset);
  if (!bytes) throw new RemoteRefusal('remote_charset');
  return bytes;
}
