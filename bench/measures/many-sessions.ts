import { setTimeout as sleep } from 'node:timers/promises';
import { generateSshKeyPair } from '@sallyport/ssh';
import { freePort } from '../../server/src/testing/free-port.ts';
import { ADMIN_PASSWORD } from '../generate/sizes.ts';
import { atMost, type Figure } from '../lib/figure.ts';
import { signIn } from '../lib/http.ts';
import { memoryOfIdle } from '../lib/idle-memory.ts';
import { echoKeys, startLightTarget } from '../lib/light-target.ts';
import { idsOf, peopleWithKey } from '../lib/people-with-key.ts';
import { processorSeconds } from '../lib/processor.ts';
import { startServer } from '../lib/server.ts';
import { SshTerminal } from '../lib/ssh-terminal.ts';
import type { World } from '../lib/world.ts';
import { prepareOpenings } from './openings.ts';

/** The goal is for the many; a short run opens few. */
const SESSIONS = { long: 5000, short: 500 };
const AT_ONCE = 8;
/** A user may have 200 shells. */
const PER_PERSON = 100;
const MINUTE_MS = 60_000;
const MOST_MEMORY = 700;
const MOST_AFTERWARDS = 150;

/**
 * Measures the memory of the server with thousands of idle shells of SSH clients, and a minute
 * after they have ended. Clients and target are in the process of the bench.
 */
export async function manySessions(world: World): Promise<Figure[]> {
  const count = world.isLong ? SESSIONS.long : SESSIONS.short;
  const target = await startLightTarget(echoKeys);
  const server = await startServer(world.folder(), ADMIN_PASSWORD, {
    sshPort: await freePort(),
  });
  const open: SshTerminal[] = [];
  try {
    await prepareOpenings(server, target);
    const client = await signIn(server.url, 'admin', ADMIN_PASSWORD);
    const key = generateSshKeyPair('bench');
    const callers = await peopleWithKey(
      { server, client, ids: await idsOf(client) },
      { count: Math.ceil(count / PER_PERSON), sessions: PER_PERSON, publicKey: key.public },
    );
    client.close();
    const session = (number: number) => {
      const person = Math.floor(number / PER_PERSON);
      return SshTerminal.open({
        port: server.sshPort,
        username: callers[person]?.username ?? '',
        privateKey: key.private,
        from: `127.0.1.${person + 1}`,
        isKnown: () => true,
      });
    };
    // The first ones load what all others share.
    for (const first of await Promise.all([session(0), session(1)])) await first.close();
    const opened = await memoryOfIdle({
      server,
      count,
      atOnce: AT_ONCE,
      open: session,
      into: open,
      say: world.say,
    });
    const before = processorSeconds(server.pid);
    await sleep(MINUTE_MS);
    const used = processorSeconds(server.pid) - before;
    const idle = server.memory();
    await Promise.all(open.splice(0).map((one) => one.close()));
    await sleep(MINUTE_MS);
    return figuresOf(count, world.isLong, { opened, idle, used, ended: server.memory() });
  } finally {
    await Promise.allSettled(open.map((one) => one.close()));
    await server.stop();
    await target.stop();
  }
}

interface Taken {
  readonly opened: { readonly whole: number; readonly each: number };
  readonly idle: number;
  readonly used: number;
  readonly ended: number;
}

function figuresOf(count: number, isLong: boolean, taken: Taken): Figure[] {
  const sessions = `${count} idle SSH sessions`;
  return [
    {
      name: `Memory of the Node process with ${sessions}`,
      value: taken.opened.whole,
      unit: 'MiB',
      note: '10 s after the last was opened',
    },
    {
      name: `Memory for each of ${sessions}`,
      value: taken.opened.each,
      unit: 'KiB',
      note: 'growth of resident memory',
    },
    {
      name: `Memory of the Node process with ${sessions}, a minute later`,
      value: taken.idle,
      unit: 'MiB',
      ...(isLong && { budget: atMost(MOST_MEMORY) }),
    },
    { name: `CPU for ${sessions}`, value: taken.used, unit: 's/min', note: 'of all threads' },
    {
      name: `Memory of the Node process a minute after ${count} sessions ended`,
      value: taken.ended,
      unit: 'MiB',
      ...(isLong && { budget: atMost(MOST_AFTERWARDS) }),
    },
  ];
}
