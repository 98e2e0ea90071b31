import { setTimeout as sleep } from 'node:timers/promises';
import { beginSignIn } from '../../server/src/features/identity/sign-in-sessions/store.ts';
import { buildUser } from '../../server/src/testing/builders.ts';
import { openRunning } from '../lib/database.ts';
import { echoBastion, echoDirect } from '../lib/echo.ts';
import { type Figure, latency } from '../lib/figure.ts';
import { memoryOfIdle } from '../lib/idle-memory.ts';
import { processorSeconds } from '../lib/processor.ts';
import { startTargeted, type TargetedServer } from '../lib/target.ts';
import { BastionTerminal } from '../lib/terminal.ts';
import type { World } from '../lib/world.ts';

const TERMINALS = 1000;
const AT_ONCE = 5;
/** One person may have 200 sockets. */
const PER_PERSON = 190;
const MINUTE_MS = 60_000;

/**
 * Measures the memory of a thousand idle terminals, each a recorded session on a real sshd, and
 * their effect on one more session.
 */
export async function connections(world: World): Promise<Figure[]> {
  const target = await startTargeted(world);
  const open: BastionTerminal[] = [];
  try {
    const { server, client, ids } = target;
    const tokens = await people(target, Math.ceil(TERMINALS / PER_PERSON));
    // The first one loads what all others share.
    await (await BastionTerminal.open(server.url, client.token, ids)).close();
    const terminal = (number: number) =>
      BastionTerminal.open(server.url, tokens[Math.floor(number / PER_PERSON)] ?? '', ids);
    const memory = await memoryOfIdle({
      server,
      count: TERMINALS,
      atOnce: AT_ONCE,
      open: terminal,
      into: open,
      say: world.say,
    });
    const used = processorSeconds(server.pid);
    await sleep(MINUTE_MS);
    const perMinute = processorSeconds(server.pid) - used;
    const direct = await echoDirect(target);
    const bastion = await echoBastion(target);
    const most = `${TERMINALS} idle terminals`;
    return [
      {
        name: `Memory for each of ${most}`,
        value: memory.each,
        unit: 'KiB',
        note: 'growth of resident memory, recorded sessions',
      },
      { name: `Memory of the Node process with ${most}`, value: memory.whole, unit: 'MiB' },
      { name: `CPU for ${most}`, value: perMinute, unit: 's/min' },
      ...latency(`Echo of a keystroke in one more, OpenSSH client`, direct.samples),
      ...latency(`Echo of a keystroke in one more, bastion with ${most}`, bastion.samples),
    ];
  } finally {
    await Promise.allSettled(open.map((terminal) => terminal.close()));
    await target.stop();
  }
}

/**
 * Signs in people who may use the target, and lets each have as many sessions as there are sockets.
 */
async function people(
  { server, client, ids }: TargetedServer,
  count: number,
): Promise<readonly string[]> {
  await client.patch('settings/setting/', { SECURITY_MAX_SESSIONS: PER_PERSON });
  const database = openRunning(server.dataDirectory);
  try {
    const signedIn = Array.from({ length: count }, async () => {
      const { id } = await buildUser(database.db);
      const { token } = await beginSignIn(database.db, {
        userId: id,
        kind: 'bearer',
        from: { remoteAddress: '127.0.0.1', userAgent: 'bench' },
        seconds: 36_000,
      });
      return { id, token };
    });
    const all = await Promise.all(signedIn);
    const users = all.map(({ id }) => id);
    await client.post('perms/asset-permissions/', {
      name: 'idle',
      users,
      assets: [ids.asset],
      system_users: [ids.system_user],
    });
    return all.map(({ token }) => token);
  } finally {
    await database.close();
  }
}
