import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Figure } from '../lib/figure.ts';
import { memoryOfIdle } from '../lib/idle-memory.ts';
import { type Caller, peopleWithKey } from '../lib/people-with-key.ts';
import { processorSeconds } from '../lib/processor.ts';
import { SshTerminal } from '../lib/ssh-terminal.ts';
import { startTargeted } from '../lib/target.ts';
import type { World } from '../lib/world.ts';

const SESSIONS = 1000;
const SHORT_SESSIONS = 200;
const AT_ONCE = 4;
const PER_PERSON = 100;
const MINUTE_MS = 60_000;
const MOST_KIBIBYTES = 200;
const MOST_SECONDS = 1;

/**
 * Measures the memory of a thousand idle, recorded sessions of SSH clients, each on a separate
 * connection; `--stage short` takes 200.
 */
export async function sshConnections(world: World): Promise<Figure[]> {
  const count = world.stage === 'short' ? SHORT_SESSIONS : SESSIONS;
  const target = await startTargeted(world, { withSsh: true });
  const open: SshTerminal[] = [];
  try {
    const { server } = target;
    const key = await readFile(`${target.sshd.keyFile}.pub`, 'utf8');
    const callers = await peopleWithKey(target, {
      count: Math.ceil(count / PER_PERSON),
      sessions: PER_PERSON,
      publicKey: key.trim(),
    });
    let pinned: Buffer | undefined;
    const isKnown = (key: Buffer) => {
      pinned ??= key;
      return pinned.equals(key);
    };
    const session = (number: number) => {
      const person = Math.floor(number / PER_PERSON);
      // Each person has an address, as behind different networks.
      return SshTerminal.open({
        port: server.sshPort,
        from: `127.0.1.${person + 1}`,
        isKnown,
        privateKey: target.sshd.privateKey,
        ...(callers[person % callers.length] as Caller),
      });
    };
    // The first ones load what all others share.
    for (const first of await Promise.all([session(0), session(1)])) await first.close();
    const minute = async () => {
      const used = processorSeconds(server.pid);
      await sleep(MINUTE_MS);
      return processorSeconds(server.pid) - used;
    };
    const without = await minute();
    const memory = await memoryOfIdle({
      server,
      count,
      atOnce: AT_ONCE,
      open: session,
      into: open,
      say: world.say,
    });
    const used = await minute();
    const each = memory.eachNow();
    const most = `${count} idle SSH sessions`;
    return [
      {
        name: `Memory for each of ${most}`,
        value: each,
        unit: 'KiB',
        budget: atMost(MOST_KIBIBYTES),
        note: 'growth of resident memory after an idle minute; a connection, a shell and a recording each',
      },
      {
        name: `Memory for each of ${most}, at once`,
        value: memory.each,
        unit: 'KiB',
        note: '10 s after the last was opened, before V8 has collected what opening them left',
      },
      { name: `Memory of the Node process with ${most}`, value: memory.whole, unit: 'MiB' },
      {
        name: `CPU for ${most}`,
        value: used - without,
        unit: 's/min',
        budget: atMost(MOST_SECONDS),
        note: `more than the ${without.toFixed(2)} s of the same server without sessions`,
      },
    ];
  } finally {
    await Promise.allSettled(open.map((one) => one.close()));
    await target.stop();
  }
}
