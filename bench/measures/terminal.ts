import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeBigFile } from '../../server/src/testing/files/big-file.ts';
import { timeDirect } from '../lib/direct.ts';
import { echoBastion, echoDirect, outputHas } from '../lib/echo.ts';
import { atLeast, type Figure, latency, percentile } from '../lib/figure.ts';
import { startTargeted, type TargetedServer } from '../lib/target.ts';
import { BastionTerminal } from '../lib/terminal.ts';
import type { World } from '../lib/world.ts';

const MEBIBYTES = 200;
const RUNS = 3;

/** The terminal through the bastion, recorded, next to the OpenSSH client to the same sshd. */
export async function terminal(world: World): Promise<Figure[]> {
  const target = await startTargeted(world);
  try {
    const direct = await echoDirect(target);
    const bastion = await echoBastion(target);
    return [
      ...latency('Echo of a keystroke, OpenSSH client', direct.samples),
      ...latency('Echo of a keystroke, bastion', bastion.samples),
      {
        name: 'Echo of a keystroke, added by the bastion, p50',
        value: percentile(bastion.samples, 0.5) - percentile(direct.samples, 0.5),
        unit: 'ms',
      },
      { name: 'CPU for 1,000 keystrokes, OpenSSH client', value: direct.cost, unit: 's' },
      {
        name: 'CPU for 1,000 keystrokes, bastion',
        value: bastion.cost,
        unit: 's',
        note: 'recorded, with the command log; both sides of the bastion',
      },
      ...(await throughput(target)),
    ];
  } finally {
    await target.stop();
  }
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
    const prompt = outputHas('begin.', listen);
    shell.type("printf 'begin%s' .; stty -echo\r");
    await prompt;
    await sleep(200);
    const target = shell.received + MEBIBYTES * 1024 * 1024;
    const began = performance.now();
    await new Promise<void>((done) => {
      listen(() => {
        if (shell.received >= target) done();
      });
      shell.type(`cat ${file}\r`);
    });
    bastion.push(performance.now() - began);
    await shell.close();
  }
  const rate = (milliseconds: number) => (MEBIBYTES / milliseconds) * 1_000;
  const note = `cat of ${MEBIBYTES} MiB, median of ${RUNS}`;
  const ratios = direct.map(
    (milliseconds, run) => (milliseconds / (bastion[run] ?? Number.NaN)) * 100,
  );
  return [
    {
      name: 'Bulk output, OpenSSH client',
      value: rate(percentile(direct, 0.5)),
      unit: 'MiB/s',
      note,
    },
    {
      name: 'Bulk output, bastion',
      value: rate(percentile(bastion, 0.5)),
      unit: 'MiB/s',
      note: `${note}, recorded and acknowledged`,
    },
    {
      name: 'Bulk output, bastion to direct',
      value: percentile(ratios, 0.5),
      unit: '%',
      budget: atLeast(60),
      note: 'median of the pairs of runs',
    },
  ];
}
