import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSshd, type TestSshd } from '../../server/src/testing/ssh/sshd.ts';
import { atLeast, atMost, type Figure, percentile } from '../lib/figure.ts';

const MEBIBYTES = 512;
const RUNS = 5;
const COMMAND = `head -c ${MEBIBYTES * 2 ** 20} /dev/zero`;

interface Run {
  readonly rate: number;
  /** CPU seconds of the client for each gibibyte. */
  readonly cost: number;
}

/**
 * Bulk output over SSH without a pseudo-terminal, which would be slower than either client: ours
 * next to that of OpenSSH. Ours is the SSH part of the gateway with an exec channel, in a
 * separate process. Browsers only have terminals.
 */
export async function ssh(): Promise<Figure[]> {
  const sshd = await startSshd();
  const ours: Run[] = [];
  const theirs: Run[] = [];
  try {
    // Alternating, so that other load on the machine affects both.
    for (let turn = 0; turn < RUNS; turn++) {
      theirs.push(await runOpenSsh(sshd));
      ours.push(await runOurs(sshd));
    }
  } finally {
    await sshd.stop();
  }
  const median = (runs: readonly Run[], what: keyof Run) =>
    percentile(
      runs.map((run) => run[what]),
      0.5,
    );
  const rates = (runs: readonly Run[]) => runs.map(({ rate }) => rate);
  const noteOf = (runs: readonly Run[]) =>
    `${MEBIBYTES} MiB without a pseudo-terminal, median of ${RUNS}, ${Math.min(...rates(runs)).toFixed(0)} to ${Math.max(...rates(runs)).toFixed(0)}`;
  return [
    {
      name: 'Bulk over SSH, OpenSSH client',
      value: median(theirs, 'rate'),
      unit: 'MiB/s',
      note: noteOf(theirs),
    },
    {
      name: 'Bulk over SSH, our client',
      value: median(ours, 'rate'),
      unit: 'MiB/s',
      note: `${noteOf(ours)}; through the SSH part of the gateway`,
    },
    {
      name: 'Bulk over SSH, ours to OpenSSH',
      value: (median(ours, 'rate') / median(theirs, 'rate')) * 100,
      unit: '%',
      budget: atLeast(25),
    },
    { name: 'CPU for a GiB, OpenSSH client', value: median(theirs, 'cost'), unit: 's' },
    { name: 'CPU for a GiB, our client', value: median(ours, 'cost'), unit: 's' },
    {
      name: 'CPU for a GiB, ours to OpenSSH',
      value: median(ours, 'cost') / median(theirs, 'cost'),
      unit: 'times',
      budget: atMost(5),
    },
  ];
}

async function runOurs({ port, username, keyFile }: TestSshd): Promise<Run> {
  const script = join(import.meta.dirname, '../lib/ssh-bulk.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    String(port),
    username,
    keyFile,
    COMMAND,
  ]);
  const { bytes, milliseconds, seconds } = JSON.parse(stdout) as {
    bytes: number;
    milliseconds: number;
    seconds: number;
  };
  return { rate: bytes / 2 ** 20 / (milliseconds / 1_000), cost: seconds / (bytes / 2 ** 30) };
}

async function runOpenSsh({
  port,
  username,
  host,
  keyFile,
  knownHostsFile,
}: TestSshd): Promise<Run> {
  const options = [
    '-T',
    '-q',
    '-F',
    'none',
    '-i',
    keyFile,
    '-p',
    String(port),
    '-o',
    `UserKnownHostsFile=${knownHostsFile}`,
    '-o',
    'BatchMode=yes',
  ];
  // The shell's own account of what its child has used: this process has none of a child that
  // ended.
  const words = [
    '-c',
    '"$@" > /dev/null; times',
    'sh',
    'ssh',
    ...options,
    `${username}@${host}`,
    COMMAND,
  ];
  const began = performance.now();
  const child = spawn('/bin/bash', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  await once(child, 'close');
  const [, , user = '', system = ''] = output.trim().split(/\s+/);
  const secondsOf = (text: string) =>
    Number(/(\d+)m/.exec(text)?.[1]) * 60 + Number(/m([\d.]+)s/.exec(text)?.[1]);
  return {
    rate: MEBIBYTES / ((performance.now() - began) / 1_000),
    cost: ((secondsOf(user) + secondsOf(system)) * 1_024) / MEBIBYTES,
  };
}
