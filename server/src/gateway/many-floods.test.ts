import { afterEach, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { startHostileServer } from '../testing/ssh/hostile-ssh.ts';
import type { TerminalClient } from '../testing/terminals/terminal-client.ts';
import { LEAST_OUTPUT, OUTPUT_BUDGET } from './limits.ts';

const rig = gatewayRig();
const SESSIONS = 120;
const PIECE = Buffer.alloc(16 * 1024, 'x');
/** Shares of a session: not confirmed output, its window, and a part in its channel. */
const SHARES = 2.25;
/** Per session: output that waits for its turn. */
const TOLERANCE = 64 * 1024;

let stop: (() => Promise<void>) | undefined;
afterEach(() => stop?.());

interface Flood {
  /** Bytes that the targets of all sessions could send so far. */
  sent: number;
  start(): void;
}

/** Starts a target whose terminals print without end once the flood has started. */
async function startFlood(): Promise<Flood> {
  const starts: (() => void)[] = [];
  const flood: Flood = {
    sent: 0,
    start: () => {
      for (const start of starts) start();
    },
  };
  const target = await startHostileServer((channel) => {
    channel.write('ready> ');
    const more = (error?: Error | null) => {
      if (error || !channel.writable) return;
      // ssh2 calls back when the window has taken the piece.
      channel.write(PIECE, (failed) => {
        if (!failed) flood.sent += PIECE.length;
        setImmediate(more, failed);
      });
    };
    starts.push(more);
  });
  stop = () => target.stop();
  const grant = grantFor(rig.sshd);
  rig.ports.grant = { ...grant, asset: { ...grant.asset, ip: target.host, port: target.port } };
  rig.ports.login = { username: 'somebody', password: 'secret' };
  return flood;
}

/** Waits until a value has not changed for some turns of this process, which runs all parts. */
async function settled(value: () => number): Promise<void> {
  for (let [last, same] = [-1, 0]; same < 20; ) {
    same = value() === last ? same + 1 : 0;
    last = value();
    await new Promise((done) => setTimeout(done, 50));
  }
}

it('keeps the unread output of many floods in a budget that all sessions share', async () => {
  const flood = await startFlood();
  rig.ports.limitValues = { ...rig.ports.limitValues, sessionsPerPerson: SESSIONS };
  const clients: TerminalClient[] = [];
  for (let count = 0; count < SESSIONS; count += 10)
    clients.push(...(await Promise.all(Array.from({ length: 10 }, () => rig.openTerminal()))));
  for (const client of clients) {
    client.acknowledges = false;
    client.keepsOutput = false;
  }
  flood.start();
  const received = () => clients.reduce((sum, client) => sum + client.received, 0);
  await settled(() => flood.sent + received());
  const { sent } = flood;
  expect(sent).toBeGreaterThan((SESSIONS * LEAST_OUTPUT) / 2);
  expect(sent).toBeLessThan(SHARES * OUTPUT_BUDGET + SESSIONS * TOLERANCE);
  // The sessions still work: users who read get more.
  const [client] = clients;
  if (!client) throw new Error('no client');
  const before = client.received;
  client.acknowledge();
  await client.until('more output', () =>
    client.received > before + 1_000_000 ? true : undefined,
  );
  await Promise.all(clients.map((one) => one.close()));
}, 300_000);
