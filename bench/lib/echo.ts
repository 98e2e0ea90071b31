import { setTimeout as sleep } from 'node:timers/promises';
import { openDirect } from './direct.ts';
import { processorSeconds, waitedMs } from './processor.ts';
import type { TargetedServer } from './target.ts';
import { BastionTerminal } from './terminal.ts';

export const KEYSTROKES = 400;
/** The first ones are not counted. */
const WARM_UP = 20;
/** The command after which each key comes back at once, without the line editor of a shell. */
export const ECHO = "stty -icanon echo; printf 'ready%s' .; cat > /dev/null";

/** Cost of typing. */
export interface Echo {
  /** Milliseconds from each key to its echo. */
  readonly samples: readonly number[];
  /** The same, without the time in which this process and the other one waited for a processor. */
  readonly unqueued: readonly number[];
  /** CPU seconds of the process for a thousand keys. */
  readonly cost: number;
}

/** Sets the listener of the output. */
export type Listen = (onOutput: (bytes: Buffer) => void) => void;

/** Types through the bastion; `cost` measures the server. */
export async function echoBastion({ server, client, ids }: TargetedServer): Promise<Echo> {
  const shell = await BastionTerminal.open(server.url, client.token, ids);
  const listen: Listen = (onOutput) => {
    shell.onOutput = onOutput;
  };
  const ready = outputHas('ready.', listen);
  shell.type(`${ECHO}\r`);
  await ready;
  const echo = await keystrokes((key) => shell.type(key), listen, server.pid);
  await shell.close();
  return echo;
}

/** Types into the OpenSSH client; `cost` is that of the client. */
export async function echoDirect({ sshd }: TargetedServer): Promise<Echo> {
  const child = openDirect(sshd, ECHO, 'pipe');
  const listen: Listen = (onOutput) => {
    child.stdout?.removeAllListeners('data');
    child.stdout?.on('data', onOutput);
  };
  await outputHas('ready.', listen);
  const echo = await keystrokes((key) => child.stdin?.write(key), listen, child.pid);
  child.kill();
  return echo;
}

/** Settles when the output so far holds a text. */
export function outputHas(text: string, listen: Listen): Promise<void> {
  let output = '';
  return new Promise((done) => {
    listen((bytes) => {
      output += bytes.toString('utf8');
      if (output.includes(text)) done();
    });
  });
}

/** Types key after key, each when the one before has come back; `cost` is that of the process. */
export async function keystrokes(
  type: (key: string) => void,
  listen: Listen,
  pid: number | undefined,
): Promise<Echo> {
  const samples: number[] = [];
  const unqueued: number[] = [];
  const waited = () => waitedMs(pid) + waitedMs(process.pid);
  let arrived: (() => void) | undefined;
  let before = 0;
  listen(() => arrived?.());
  for (let turn = 0; turn < KEYSTROKES; turn++) {
    if (turn === WARM_UP) before = processorSeconds(pid);
    const key = String.fromCharCode(97 + (turn % 26));
    const echoed = new Promise<void>((done) => {
      arrived = done;
    });
    const [began, waitedBefore] = [performance.now(), waited()];
    type(key);
    await echoed;
    const sample = performance.now() - began;
    samples.push(sample);
    unqueued.push(Math.max(0, sample - (waited() - waitedBefore)));
    // A person does not type faster.
    await sleep(10);
  }
  return {
    samples: samples.slice(WARM_UP),
    unqueued: unqueued.slice(WARM_UP),
    cost: ((processorSeconds(pid) - before) / (KEYSTROKES - WARM_UP)) * 1000,
  };
}
