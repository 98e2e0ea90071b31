import { describe, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { TerminalClient } from '../testing/terminals/terminal-client.ts';

const rig = gatewayRig();

describe('a browser that violates the protocol', () => {
  const closedWith = async (send: (client: TerminalClient) => void, open = false) => {
    const client = open
      ? await rig.openTerminal()
      : new TerminalClient(`${rig.server.url}/ws/terminal/`);
    if (!open)
      await client.until('open', () => (client.socket.readyState === 1 ? true : undefined));
    send(client);
    const code = await client.until('close', () => client.closeCode);
    await client.until('nothing left', () =>
      rig.server.gateway.hub.counts().sessions + rig.server.gateway.hub.counts().connecting === 0
        ? true
        : undefined,
    );
    return code;
  };

  it('closes the socket of a browser that violates the protocol, with a code for the reason', async () => {
    expect(await closedWith((client) => client.socket.send('{'))).toBe(1007);
    expect(
      await closedWith((client) =>
        client.socket.send('{"type":"connect","asset":"a","system_user":"s","cols":1,"rows":24}'),
      ),
    ).toBe(1007);
    expect(
      await closedWith((client) =>
        client.socket.send(
          '{"type":"connect","asset":"a","system_user":"s","cols":80,"rows":1001}',
        ),
      ),
    ).toBe(1007);
    expect(
      await closedWith((client) =>
        client.socket.send(
          '{"type":"connect","asset":"a\\u0000","system_user":"s","cols":80,"rows":24}',
        ),
      ),
    ).toBe(1007);
    expect(
      await closedWith((client) =>
        client.socket.send(
          '{"type":"connect","asset":"a","system_user":"s","protocol":"gopher","cols":80,"rows":24}',
        ),
      ),
    ).toBe(1007);
    expect(await closedWith((client) => client.send({ type: 'ack', bytes: 1 }))).toBe(1008);
    expect(await closedWith((client) => client.send({ type: 'ack', bytes: 1_000_000 }), true)).toBe(
      1008,
    );
    expect(
      await closedWith(
        (client) => client.send({ type: 'credentials', username: 'a', password: 'b' }),
        true,
      ),
    ).toBe(1008);
    expect(
      await closedWith((client) => client.socket.send(Buffer.alloc(64 * 1024 + 1)), true),
    ).toBe(1009);
    expect(
      await closedWith(
        (client) =>
          client.send({ type: 'connect', asset: 'a', system_user: 's', cols: 80, rows: 24 }),
        true,
      ),
    ).toBe(1008);
  });

  it('closes the socket for a user name with control characters, or of invalid length, before connecting', async () => {
    const grant = grantFor(rig.sshd);
    rig.ports.grant = {
      ...grant,
      systemUser: { ...grant.systemUser, username: '', loginMode: 'manual' },
    };
    const answer = async (username: string) => {
      const client = await rig.connect();
      await client.message('need_credentials');
      client.socket.send(JSON.stringify({ type: 'credentials', username, password: 'wrong' }));
      return client;
    };
    const hostile = [
      'ro\u0000ot',
      'root\n',
      'root\r',
      '\u001b[2Jroot',
      'root\u007f',
      'root\u009b2J',
      '\u202etoor',
      'ro\u200fot',
      'root\u2028',
      'r'.repeat(129),
    ];
    for (const username of hostile) {
      const client = await answer(username);
      expect([username, await client.until('close', () => client.closeCode)]).toEqual([
        username,
        1007,
      ]);
    }
    expect(rig.ports.rows.size).toBe(0);
    const good = await answer('größe-用户');
    await good.until(
      'the second question',
      () => good.messages.filter(({ type }) => type === 'need_credentials')[1],
    );
    expect(rig.ports.row().session.account).toBe('größe-用户');
    await good.close();
  });
});
