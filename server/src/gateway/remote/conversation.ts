import type { Connection, ExecRequest, TargetExec, TargetExit } from '../protocols/connector.ts';
import { Refusal } from '../refusal.ts';
import { RemoteRefusal } from './words.ts';

/** Our end of a command's channel. */
export interface Conversation {
  write(chunk: Buffer): void;
  fail(error: unknown): void;
}

/**
 * Runs one command over an open connection, which stays open for the next command. Returns the exit
 * status; undefined if a signal ended the command.
 * @throws RemoteRefusal, Refusal, errors of `hear`, or the reason of the signal
 */
export async function converse(
  connection: Connection,
  run: Pick<ExecRequest, 'command' | 'charset'>,
  signal: AbortSignal,
  hear: (chunk: Buffer, isError: boolean, near: Conversation) => void,
): Promise<number | undefined> {
  if (!connection.openExec) throw new RemoteRefusal('remote_account');
  let exec: TargetExec | undefined;
  let status: number | undefined;
  const waiting: Buffer[] = [];
  const ended = await new Promise<string>((done, failed) => {
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
        status = 'code' in exit ? exit.code : undefined;
      },
      onEnd: (how: string) => {
        signal.removeEventListener('abort', abort);
        done(how);
      },
    };
    connection.openExec?.({ ...run, keepsConnection: true }, events).then((opened) => {
      exec = opened;
      for (const chunk of waiting) opened.write(chunk);
    }, failed);
  });
  if (ended === 'lost') throw new Refusal('connect_target_lost');
  if (ended === 'flooded') throw new Refusal('connect_target_flooded');
  return status;
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
