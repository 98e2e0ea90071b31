import type { Connection } from '../protocols/connector.ts';
import { Refusal } from '../refusal.ts';
import { RemoteRefusal } from './words.ts';

const ANSWER = 'sallyport:ready';
/** Both shells that OpenSSH for Windows may give an account, cmd and PowerShell, pass it on unchanged. Constant. */
const COMMAND = `powershell.exe -NoLogo -NoProfile -NonInteractive -Command "[Console]::Out.Write('${ANSWER}')"`;
/** Output that is read while the answer is looked for. */
const MOST_OUTPUT = 16 * 1024;

/** Proves that an account of a Windows host can run PowerShell. @throws RemoteRefusal, Refusal, or the reason of the signal */
export async function pingWindows(connection: Connection, signal: AbortSignal): Promise<void> {
  const { openExec } = connection;
  if (!openExec) throw new RemoteRefusal('remote_account');
  let output = '';
  const ended = await new Promise<string>((done, failed) => {
    const abort = () => failed(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const events = {
      onOutput: (chunk: Buffer, isError: boolean) => {
        if (!isError && output.length < MOST_OUTPUT) output += chunk.toString('latin1').slice(0, MOST_OUTPUT);
      },
      onDrain: () => undefined,
      onExit: () => undefined,
      onEnd: (how: string) => {
        signal.removeEventListener('abort', abort);
        done(how);
      },
    };
    openExec({ command: COMMAND, keepsConnection: true }, events).then((exec) => exec.finishInput(), failed);
  });
  if (ended === 'lost') throw new Refusal('connect_target_lost');
  if (!output.includes(ANSWER)) throw new RemoteRefusal('remote_account');
}
