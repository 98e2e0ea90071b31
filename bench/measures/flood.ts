import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Figure, latency } from '../lib/figure.ts';
import { startTargeted, type TargetedServer } from '../lib/target.ts';
import { BastionTerminal } from '../lib/terminal.ts';
import type { World } from '../lib/world.ts';

const FLOODS = 8;
const BYTES_BEFORE_CTRL_C = 8 * 2 ** 20;
const SAMPLE_MILLISECONDS = 50;

/** Output without end: how soon Ctrl-C stops it, and how much memory the server takes meanwhile. */
export async function flood(world: World): Promise<Figure[]> {
  const target = await startTargeted(world);
  try {
    const before = target.server.memory();
    let peak = before;
    const sampler = setInterval(() => {
      peak = Math.max(peak, target.server.memory());
    }, SAMPLE_MILLISECONDS);
    const samples: number[] = [];
    for (let turn = 0; turn < FLOODS; turn++) samples.push(await stopFlood(target));
    clearInterval(sampler);
    return [
      ...latency(
        'Ctrl-C in a flood, until the prompt',
        samples,
        atMost(500),
        `${FLOODS} floods of yes`,
      ),
      {
        name: 'Memory that floods add to the server',
        value: peak - before,
        unit: 'MiB',
        budget: atMost(64),
      },
    ];
  } finally {
    await target.stop();
  }
}

/** Milliseconds from Ctrl-C in a flood until the shell asks for the next command. */
async function stopFlood({ server, client, ids }: TargetedServer): Promise<number> {
  const shell = await BastionTerminal.open(server.url, client.token, ids);
  const shows = (text: string) => {
    let tail = '';
    return new Promise<void>((done) => {
      shell.onOutput = (bytes) => {
        tail = (tail + bytes.toString('latin1')).slice(-(text.length + bytes.length));
        if (tail.includes(text)) done();
      };
    });
  };
  const ready = shows('next-command.');
  shell.type("PS1='next-'command.\r");
  await ready;
  shell.type('yes\r');
  const target = shell.received + BYTES_BEFORE_CTRL_C;
  while (shell.received < target) await sleep(1);
  const prompt = shows('next-command.');
  const began = performance.now();
  shell.type('\x03');
  await prompt;
  const milliseconds = performance.now() - began;
  await shell.close();
  return milliseconds;
}
