import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeBigFile } from '../../server/src/gateway/testing/throughput.ts';
import { openDirect, timeDirect } from '../lib/direct.ts';
import { atLeast, type Figure, latency, percentile } from '../lib/figure.ts';
import { startTargeted, type TargetedServer } from '../lib/target.ts';
import { BastionTerminal } from '../lib/terminal.ts';
import type { World } from '../lib/world.ts';

const KEYSTROKES = 400;
const MEBIBYTES = 200;
const RUNS = 3;
/** Each key comes back at once, without the line editor of a shell. */
const ECHO = "stty -icanon echo; printf 'ready%s' .; cat > /dev/null";

/** The terminal through the bastion, recorded, next to the OpenSSH client to the same sshd. */
export async function terminal(world: World): Promise<Figure[]> {
  const target = await startTargeted(world);
  try {
    const direct = await echoDirect(target);
    const bastion = await echoBastion(target);
    return [
      ...latency('Echo of a keystroke, OpenSSH client', direct),
      ...latency('Echo of a keystroke, bastion', bastion),
      { name: 'Echo of a keystroke, added by the bastion, p50', value: percentile(bastion, 0.5) - percentile(direct, 0.5), unit: 'ms' },
      ...(await throughput(target)),
    ];
  } finally {
    await target.stop();
  }
}

async function keystrokes(type: (key: string) => void, listen: (onOutput: (bytes: Buffer) => void) => void): Promise<number[]> {
  const samples: number[] = [];
  let arrived: (() => void) | undefined;
  listen(() => arrived?.());
  for (let turn = 0; turn < KEYSTROKES; turn++) {
    const key = String.fromCharCode(97 + (turn % 26));
    const echoed = new Promise<void>((done) => {
      arrived = done;
    });
    const began = performance.now();
    type(key);
    await echoed;
    samples.push(performance.now() - began);
    // A person does not type faster.
    await sleep(10);
  }
  return samples.slice(20);
}

/** Settles when the output so far holds a text. */
function until(text: string, listen: (onOutput: (bytes: Buffer) => void) => void): Promise<void> {
  let output = '';
  return new Promise((done) => {
    listen((bytes) => {
      output += bytes.toString('utf8');
      if (output.includes(text)) done();
    });
  });
}

async function echoBastion({ server, client, ids }: TargetedServer): Promise<number[]> {
  const shell = await BastionTerminal.open(server.url, client.token, ids);
  const listen = (onOutput: (bytes: Buffer) => void) => {
    shell.onOutput = onOutput;
  };
  const ready = until('ready.', listen);
  shell.type(`${ECHO}\r`);
  await ready;
  const samples = await keystrokes((key) => shell.type(key), listen);
  await shell.close();
  return samples;
}

async function echoDirect({ sshd }: TargetedServer): Promise<number[]> {
  const child = openDirect(sshd, ECHO, 'pipe');
  const listen = (onOutput: (bytes: Buffer) => void) => {
    child.stdout?.removeAllListeners('data');
    child.stdout?.on('data', onOutput);
  };
  await until('ready.', listen);
  const samples = await keystrokes((key) => child.stdin?.write(key), listen);
  child.kill();
  return samples;
}

async function throughput({ server, sshd, client, ids }: TargetedServer): Promise<Figure[]> {
  const file = join(sshd.home, 'big');
  await writeBigFile(file, MEBIBYTES);
  const connecting = Math.min(await timeDirect(sshd, 'true'), await timeDirect(sshd, 'true'));
  const direct: number[] = [];
  const bastion: number[] = [];
  // Alternating, so that other load on the machine affects both.
  for (let run = 0; run < RUNS; run++) {
    direct.push((await timeDirect(sshd, `cat ${file}`)) - connecting);
    const shell = await BastionTerminal.open(server.url, client.token, ids);
    const listen = (onOutput: (bytes: Buffer) => void) => {
      shell.onOutput = onOutput;
    };
    const prompt = until('begin.', listen);
    shell.type("printf 'begin%s' .; stty -echo\r");
    await prompt;
    await sleep(200);
    const wanted = shell.received + MEBIBYTES * 1024 * 1024;
    const began = performance.now();
    await new Promise<void>((done) => {
      listen(() => {
        if (shell.received >= wanted) done();
      });
      shell.type(`cat ${file}\r`);
    });
    bastion.push(performance.now() - began);
    await shell.close();
  }
  const rate = (milliseconds: number) => (MEBIBYTES / milliseconds) * 1_000;
  const note = `cat of ${MEBIBYTES} MiB, median of ${RUNS}`;
  const ratios = direct.map((milliseconds, run) => (milliseconds / (bastion[run] ?? Number.NaN)) * 100);
  return [
    { name: 'Bulk output, OpenSSH client', value: rate(percentile(direct, 0.5)), unit: 'MiB/s', note },
    { name: 'Bulk output, bastion', value: rate(percentile(bastion, 0.5)), unit: 'MiB/s', note: `${note}, recorded and acknowledged` },
    { name: 'Bulk output, bastion to direct', value: percentile(ratios, 0.5), unit: '%', budget: atLeast(60), note: 'median of the pairs of runs' },
  ];
}
