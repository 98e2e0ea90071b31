import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { drip, type HostileServer, startHostileServer } from '../testing/hostile/hostile-server.ts';
import {
  AFTER_NONSENSE,
  CONTINUES,
  type HostileSsh,
  NONSENSE,
  SSH_ATTACKS,
} from '../testing/hostile/ssh.ts';

const rig = gatewayRig();

/** Bytes that an attack may send before its session ends, besides those in network buffers. */
const MAX_TAKEN = 32 * 1024 * 1024;

/** Opens a terminal at a hostile server; returns the reason of its end. */
async function attacked({ serve, expected, stalls }: HostileSsh) {
  const server: HostileServer = await startHostileServer(serve);
  try {
    const grant = grantFor(rig.sshd);
    rig.ports.rows.clear();
    rig.ports.grant = { ...grant, asset: { ...grant.asset, port: server.port } };
    rig.ports.login = { username: 'somebody', password: 'secret' };
    rig.ports.limitValues = { ...rig.ports.limitValues, connectSeconds: stalls ? 1 : 60 };
    const client = await rig.connect();
    client.keepsOutput = expected === '';
    const has = (wanted: string) => client.messages.some(({ type }) => type === wanted);
    if (expected === CONTINUES || expected === '') {
      await client.until('the terminal is open, or closed', () =>
        has('open') || has('closed') ? true : undefined,
      );
      client.type('echo still here\r');
      if (expected === CONTINUES)
        await client.until('a flood', () => (server.sent() > 2_000_000 ? true : undefined));
      else
        await client.until('the output after it, or the end', () =>
          client.output.includes(AFTER_NONSENSE) || has('closed') ? true : undefined,
        );
      client.socket.close(1000);
    }
    const end = await client.until('the end of the row', () =>
      rig.ports.rows.size > 0 ? rig.ports.row().end : undefined,
    );
    return { reason: end.reason, taken: server.sent() };
  } finally {
    await server.stop();
  }
}

it('opens a terminal when the server sends lines and its identification byte by byte', async () => {
  const server = await startHostileServer((socket) => {
    const target = connect({ host: rig.sshd.host, port: rig.sshd.port });
    target.on('error', () => undefined);
    socket.pipe(target);
    target.once('data', (first: Buffer) => {
      target.pause();
      drip(socket, Buffer.concat([Buffer.from('Authorized use only\r\n'), first]), () =>
        target.pipe(socket),
      );
    });
  });
  const grant = grantFor(rig.sshd);
  rig.ports.grant = { ...grant, asset: { ...grant.asset, port: server.port } };
  const client = await rig.openTerminal();
  client.type('exit\r');
  await client.message('closed');
  await server.stop();
});

describe('a hostile SSH server', () => {
  it.each(SSH_ATTACKS)('ends the session with $expected when the server $name', async (attack) => {
    const { reason, taken } = await attacked(attack);
    if (!attack.stalls && attack.expected !== CONTINUES) expect(taken).toBeLessThan(MAX_TAKEN);
    // A process that was busy reads much at once, and may take output without end for a flood.
    const ends =
      attack.expected === CONTINUES
        ? ['session_finished', 'connect_target_flooded']
        : [attack.expected];
    expect(ends).toContain(reason);
  });

  it('survives every message with an empty body, and with nonsense', async () => {
    for (const attack of NONSENSE) {
      const { reason } = await attacked(attack);
      expect(reason).toBeTruthy();
    }
  });
});
