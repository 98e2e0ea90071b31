import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePort } from '../testing/free-port.ts';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { keyLogin } from '../testing/ssh/shell.ts';
import { startSshServer } from '../testing/ssh/ssh-server.ts';
import { TerminalClient } from '../testing/terminals/terminal-client.ts';

const rig = gatewayRig();

describe('sessions that cannot open', () => {
  const refusedWith = async (code: string) => {
    const client = await rig.connect();
    const closed = await client.message('closed');
    expect(closed.code).toBe(code);
    await client.until('close', () => client.closeCode);
    expect(client.received).toBe(0);
    return closed;
  };

  it('rejects a user without permission, without row and connection', async () => {
    rig.ports.grant = undefined;
    expect(await refusedWith('connect_denied')).toMatchObject({ retry: false });
    expect(rig.ports.rows.size).toBe(0);
  });

  it('rejects an account of an unsupported protocol, or of another than requested', async () => {
    const grant = grantFor(rig.sshd);
    rig.ports.grant = { ...grant, systemUser: { ...grant.systemUser, protocol: 'vnc' } };
    expect(await refusedWith('connect_protocol')).toMatchObject({
      retry: false,
      message: 'This asset does not offer vnc.',
    });
    rig.ports.grant = grant;
    const other = await TerminalClient.connect(rig.server.url, {
      asset: 'a',
      system_user: 's',
      protocol: 'rdp',
    });
    expect(await other.message('closed')).toMatchObject({
      code: 'connect_protocol',
      message: 'This asset does not offer rdp.',
    });
    const withProtocol = await TerminalClient.connect(rig.server.url, {
      asset: 'a',
      system_user: 's',
      protocol: 'ssh',
    });
    expect(rig.ports.rows.size).toBe(0);
    await withProtocol.message('open');
    await withProtocol.close();
  });

  it('reports a refused connection when nothing listens on the port', async () => {
    const port = await freePort();
    rig.ports.grant = { ...grantFor(rig.sshd), asset: { ...grantFor(rig.sshd).asset, port } };
    expect((await refusedWith('connect_refused')).message).toBe(
      `127.0.0.1:${port} refused the connection.`,
    );
    expect(rig.ports.row().end).toMatchObject({
      success: false,
      reason: 'connect_refused',
      replayState: 'none',
    });
  });

  it('reports an unknown host name', async () => {
    rig.ports.grant = {
      ...grantFor(rig.sshd),
      asset: { ...grantFor(rig.sshd).asset, ip: 'no-such-host.invalid' },
    };
    await refusedWith('connect_unreachable');
  });

  it('reports a timeout of a silent server, and a protocol error of another server', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    const strange = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await Promise.all([once(silent, 'listening'), once(strange, 'listening')]);
    const portOf = (address: ReturnType<typeof silent.address>) =>
      address !== null && typeof address === 'object' ? address.port : 0;
    rig.ports.limitValues = { ...rig.ports.limitValues, connectSeconds: 0.3 };
    rig.ports.grant = {
      ...grantFor(rig.sshd),
      asset: { ...grantFor(rig.sshd).asset, port: portOf(silent.address()) },
    };
    await refusedWith('connect_timeout');
    rig.ports.rows.clear();
    rig.ports.limitValues = { ...rig.ports.limitValues, connectSeconds: 10 };
    rig.ports.grant = {
      ...grantFor(rig.sshd),
      asset: { ...grantFor(rig.sshd).asset, port: portOf(strange.address()) },
    };
    await refusedWith('connect_protocol_error');
    silent.close();
    strange.close();
  });

  it('reports a server that closes the connection before SSH begins', async () => {
    for (const hangUp of [
      (socket: Socket) => socket.end(),
      (socket: Socket) => socket.resetAndDestroy(),
    ]) {
      rig.ports.rows.clear();
      const closing = createServer(hangUp).listen(0, '127.0.0.1');
      await once(closing, 'listening');
      const address = closing.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      rig.ports.grant = { ...grantFor(rig.sshd), asset: { ...grantFor(rig.sshd).asset, port } };
      const { message, retry } = await refusedWith('connect_no_greeting');
      expect([message, retry]).toEqual([
        `127.0.0.1:${port} accepted the connection and closed it before SSH began.`,
        true,
      ]);
      closing.close();
    }
  });

  it('closes the connection to the target when the user cancels', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    rig.ports.limitValues = { ...rig.ports.limitValues, connectSeconds: 120 };
    rig.ports.grant = {
      ...grantFor(rig.sshd),
      asset: {
        ...grantFor(rig.sshd).asset,
        port: address !== null && typeof address === 'object' ? address.port : 0,
      },
    };
    const connected = once(silent, 'connection');
    const client = await rig.connect();
    const [socket] = (await connected) as [Socket];
    const closed = once(socket.resume(), 'close');
    client.socket.close(1000);
    await closed;
    await client.until('the end of the row', () => rig.ports.row().end);
    expect(rig.ports.row().end).toMatchObject({
      success: false,
      reason: 'session_finished',
      replayState: 'none',
    });
    silent.close();
  });

  it('reports wrong stored credentials without asking the user', async () => {
    rig.ports.login = { username: rig.sshd.username, password: 'wrong' };
    await refusedWith('connect_credentials');
  });

  it('reports an unreadable stored key as wrong credentials', async () => {
    rig.ports.login = { username: rig.sshd.username, privateKey: 'no key' };
    await refusedWith('connect_credentials');
  });

  it('rejects a changed host key before sending a secret', async () => {
    const client = await rig.openTerminal();
    await client.close();
    rig.ports.rows.clear();
    await rig.sshd.restartWithNewHostKey();
    const grant = rig.ports.grant;
    expect((await refusedWith('connect_host_key')).retry).toBe(false);
    rig.ports.pins.clear();
    rig.ports.rows.clear();
    expect(rig.ports.grant).toBe(grant);
    const again = await rig.openTerminal();
    await again.close();
  });

  it('opens no session when it cannot record', async () => {
    await rm(rig.directory, { recursive: true });
    await writeFile(rig.directory, 'a file where the folder should be');
    await refusedWith('session_recording_failed');
    expect(rig.ports.row().end).toMatchObject({ success: false, replayState: 'failed' });
  });
});

describe('questions to the user', () => {
  it('asks for an account in manual mode, again after a wrong password, and gives up after three', async () => {
    const grant = grantFor(rig.sshd);
    rig.ports.grant = { ...grant, systemUser: { ...grant.systemUser, loginMode: 'manual' } };
    const client = await rig.connect();
    expect(await client.message('need_credentials')).toEqual({
      type: 'need_credentials',
      username: rig.sshd.username,
      reason: 'manual',
    });
    const questions = () =>
      client.messages.filter((message) => message.type === 'need_credentials');
    client.send({ type: 'credentials', username: rig.sshd.username, password: 'wrong' });
    await client.until('the second question', () => questions()[1]);
    expect(questions()[1]).toMatchObject({ reason: 'rejected' });
    client.send({
      type: 'credentials',
      username: rig.sshd.username,
      password: rig.sshd.password ?? '',
    });
    await client.message('open');
    await client.waitFor('ready> ');
    await client.close();
    expect([...rig.ports.rows.values()].map((row) => row.session.account)).toEqual([
      rig.sshd.username,
      rig.sshd.username,
    ]);

    const other = await rig.connect();
    for (let i = 0; i < 3; i++) {
      await other.until(
        'a question',
        () => other.messages.filter((message) => message.type === 'need_credentials')[i],
      );
      other.send({ type: 'credentials', username: 'nobody-here', password: `wrong${i}` });
    }
    expect((await other.message('closed')).code).toBe('connect_credentials');
    expect(JSON.stringify([...rig.ports.rows.values()]) + rig.ports.logged.join()).not.toContain(
      'wrong',
    );
  });
});

describe('connections through gateways', () => {
  it('connects hop by hop and pins a separate host key for each', async () => {
    const hop = await startSshServer();
    try {
      rig.ports.hops = [
        { id: 'h1', name: 'first', host: hop.host, port: hop.port, login: keyLogin(hop) },
        {
          id: 'h2',
          name: 'second',
          host: rig.sshd.host,
          port: rig.sshd.port,
          login: { username: rig.sshd.username, password: rig.sshd.password ?? '' },
        },
      ];
      const client = await rig.openTerminal();
      client.type('echo through\r');
      await client.waitFor('\rthrough');
      expect([...rig.ports.pins.keys()].filter((owner) => owner.startsWith('gateway:'))).toEqual([
        'gateway:h1',
        'gateway:h2',
      ]);
      await client.close();
      rig.ports.rows.clear();
      await hop.restartWithNewHostKey();
      const refused = await rig.connect();
      expect(await refused.message('closed')).toMatchObject({ code: 'connect_host_key' });
    } finally {
      await hop.stop();
    }
  });
});
