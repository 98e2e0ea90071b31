import type { Connection, ExecRequest, TargetExec, TargetExit } from '../protocols/connector.ts';
import { TARGET_ENDS, type TargetEnd } from '../protocols/target-end.ts';
import { Refusal } from '../refusal.ts';
import { RemoteRefusal } from './words.ts';

export type ExitStatus = number | 'signal' | undefined;

/** Returns the status as a number, if the command ended with one. */
export const codeOf = (status: ExitStatus): number | undefined =>
  status === 'signal' ? undefined : status;

interface Ending {
  readonly how: TargetEnd;
  readonly message: string | undefined;
}

/** Our end of a command's channel. */
export interface Conversation {
  write(chunk: Buffer): void;
  fail(error: unknown): void;
}

/**
 * Runs one command over an open connection, which stays open for the next command. Returns the exit
 * status, or `signal` if one ended the command; undefined if the server sent neither.
 * @throws RemoteRefusal, Refusal, errors of `hear`, or the reason of the signal
 */
export async function converse(
  connection: Connection,
  run: Pick<ExecRequest, 'command' | 'charset'>,
  signal: AbortSignal,
  hear: (chunk: Buffer, isError: boolean, near: Conversation) => void,
): Promise<ExitStatus> {
  if (!connection.openExec) throw new RemoteRefusal('remote_account');
  let exec: TargetExec | undefined;
  let status: ExitStatus;
  const waiting: Buffer[] = [];
  const { how, message } = await new Promise<Ending>((done, failed) => {
    const abort = () => failed(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const near: Conversation = {
      write: (chunk) => void (exec ? exec.write(chunk) : waiting.push(chunk)),
      fail: failed,
    };
    const events = {
      onOutput: (chunk: Buffer, isError: boolean) => {
        try {
          hear(chunk, isError, near);
        } catch (error) {
          failed(error);
        }
      },
      onDrain: () => undefined,
      onExit: (exit: TargetExit) => {
        status = 'code' in exit ? exit.code : 'signal';
      },
      onEnd: (how: TargetEnd, message?: string) => {
        signal.removeEventListener('abort', abort);
        done({ how, message });
      },
    };
    connection.openExec?.({ ...run, keepsConnection: true }, events).then((opened) => {
      exec = opened;
      for (const chunk of waiting) opened.write(chunk);
    }, failed);
  });
  if (how !== 'closed')
    throw new Refusal(TARGET_ENDS[how], message === undefined ? undefined : { message });
  return status;
}

/** Ends of a connection by which a device answers a command that it does not know. */
const DEVICE_ENDS: ReadonlySet<string> = new Set([
  TARGET_ENDS.closed,
  TARGET_ENDS.disconnected,
  TARGET_ENDS.lost,
]);

/**
 * Returns the reason why a command broke off before our shell ran. With output, a device has
 * answered the command with its own words: some then close the connection, or send no status.
 */
export function brokenOff(error: unknown, hasOutput: boolean): unknown {
  return hasOutput && error instanceof Refusal && DEVICE_ENDS.has(error.problem.code)
    ? new RemoteRefusal('remote_account')
    : error;
}

/**
 * Asks once whether to keep a change, and sends the answer to the script. Without an answer the
 * script undoes the change.
 */
export function askOnce(
  decide: (() => Promise<boolean>) | undefined,
): (near: Conversation) => void {
  let hasAsked = false;
  return (near) => {
    if (hasAsked || !decide) return;
    hasAsked = true;
    decide().then(
      (isKept) => near.write(Buffer.from(isKept ? 'keep\n' : 'undo\n')),
      (error: unknown) => {
        near.write(Buffer.from('undo\n'));
        near.fail(error);
      },
    );
  };
}
