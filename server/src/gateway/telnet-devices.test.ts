import { describe, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { startDevice, type TestDevice } from '../testing/hosts/device.ts';
import { startSerialDevice } from '../testing/hosts/serial-device.ts';
import { until } from '../testing/poll.ts';
import type { TelnetOptions } from './ports/grant.ts';
import type { Login } from './ports.ts';

const rig = gatewayRig();
const NO_OPTIONS: TelnetOptions = {
  username: '',
  password: '',
  success: '',
  failure: '',
  line: '',
};

/** Routes the next connections to a device with these options of the system user. */
function leadTo(
  { port }: TestDevice,
  options: Partial<TelnetOptions> = {},
  login: Login = { username: 'ops', password: 'secret' },
): void {
  const grant = grantFor(rig.sshd);
  const { systemUser } = grant;
  rig.ports.rows.clear();
  rig.ports.grant = {
    ...grant,
    asset: { ...grant.asset, port },
    systemUser: {
      ...systemUser,
      username: login.username,
      protocol: 'telnet',
      telnet: { ...NO_OPTIONS, ...options },
      ...(login.switchTo && { switchMethod: login.switchTo.method }),
    },
  };
  rig.ports.login = login;
}

/** A device that asks in its own words; the conversation is a list of prompts. */
async function startOwnWords(greeting: string, answers: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  const device = await startDevice((socket) => {
    let waiting = '';
    socket.write(greeting);
    socket.on('data', (chunk) => {
      waiting += chunk.toString('latin1');
      for (let end = waiting.indexOf('\r\n'); end >= 0; end = waiting.indexOf('\r\n')) {
        const line = waiting.slice(0, end);
        waiting = waiting.slice(end + 2);
        lines.push(line);
        socket.write(answers[line] ?? 'what?\r\n');
      }
    });
  });
  return { ...device, lines };
}

describe('expressions of prompts', () => {
  const PATTERNS = {
    username: 'Who goes there\\?',
    password: 'Say the word',
    success: 'Enter freely',
    failure: 'Begone',
  };
  const start = () =>
    startOwnWords('Password policy: keep it\r\nWho goes there? ', {
      ops: 'Say the word ',
      secret: 'Enter freely (0 failed attempts)\r\nmotd: ',
      wrong: 'Begone ',
    });

  it('signs in at prompts that only the system user knows', async () => {
    const device = await start();
    leadTo(device, PATTERNS);
    const client = await rig.connect();
    await client.waitFor('Enter freely');
    expect(device.lines).toEqual(['ops', 'secret']);
    await client.close();
    await device.stop();
  });

  it('reports a rejected password by the failure pattern', async () => {
    const device = await start();
    leadTo(device, PATTERNS, { username: 'ops', password: 'wrong' });
    const client = await rig.connect();
    expect(await client.message('closed')).toMatchObject({ code: 'connect_credentials' });
    await device.stop();
  });

  it('sends no password to a common prompt when the system user names another one', async () => {
    const device = await startOwnWords('login: ', { ops: 'Password: ' });
    leadTo(device, { password: 'Say the word' });
    const client = await rig.connect();
    // After a silence the user answers the prompt that has no pattern.
    await client.waitFor('Password: ');
    expect(device.lines).toEqual(['ops']);
    await client.close();
    await device.stop();
  });
});

describe('a serial line (RFC 2217)', () => {
  it('sets format and speed before the sign-in, and sends breaks by requests', async () => {
    const device = await startSerialDevice();
    leadTo(device, { line: '65535 7E2' });
    const client = await rig.connect();
    await client.waitFor('console> ');
    expect(device.requests).toEqual(['2:07', '3:03', '4:02', '1:0000ffff']);
    expect(device.lines).toEqual(['ops', 'secret']);
    client.send({ type: 'break' });
    await until(() => device.requests.length === 6, 'the end of the break');
    expect(device.requests.slice(4)).toEqual(['5:05', '5:06']);
    expect(device.breaks).toBe(0);
    await client.close();
    await device.stop();
  });

  it.each([
    ['declines', { says: 'refuse' }],
    ['does not answer', { says: 'ignore' }],
    [
      'chooses another speed',
      { answerOf: (kind: number, value: Buffer) => (kind === 1 ? Buffer.alloc(4, 1) : value) },
    ],
    [
      'chooses another parity',
      { answerOf: (kind: number, value: Buffer) => (kind === 3 ? Buffer.alloc(1, 1) : value) },
    ],
    ['answers nothing sensible', { answerOf: () => Buffer.alloc(40, 255) }],
  ] as const)('refuses a serial server that %s, before any secret', async (_, options) => {
    const device = await startSerialDevice(options);
    leadTo(device, { line: '9600 7E1' });
    const before = rig.ports.limitValues;
    // Only silence waits for this limit.
    if ('says' in options && options.says === 'ignore')
      rig.ports.limitValues = { ...before, connectSeconds: 1 };
    const client = await rig.connect();
    expect(await client.message('closed', 30_000)).toMatchObject({
      code: 'connect_serial_line',
    });
    expect(device.lines).toEqual([]);
    rig.ports.limitValues = before;
    await device.stop();
  });
});

describe('a break', () => {
  it('goes to a device as a command of telnet, after the keys before it', async () => {
    const device = await startSerialDevice();
    leadTo(device);
    const client = await rig.connect();
    await client.waitFor('console> ');
    client.type('show\r');
    client.send({ type: 'break' });
    await until(() => device.breaks === 1, 'the break');
    expect(device.lines).toEqual(['ops', 'secret', 'show']);
    await client.close();
    await device.stop();
  });

  it('does nothing over SSH', async () => {
    rig.ports.grant = grantFor(rig.sshd);
    const client = await rig.connect();
    await client.message('open');
    client.send({ type: 'break' });
    client.type('echo al""ive\r');
    await client.waitFor('alive');
    await client.close();
  });
});

describe('enable over telnet', () => {
  const start = () =>
    startOwnWords('Username: ', {
      ops: 'Password: ',
      secret: 'sw1>',
      enable: 'Password: ',
      higher: 'sw1#',
      lower: '% Access denied\r\nsw1>',
      'show run': 'hostname sw1\r\nsw1#',
    });
  const account = (password: string): Login => ({
    username: 'ops',
    password: 'secret',
    switchTo: { username: 'admin', from: 'ops', method: 'enable', password },
  });

  it('raises the rights with a password that the user never sees', async () => {
    const device = await start();
    leadTo(device, {}, account('higher'));
    const client = await rig.connect();
    await client.waitFor('sw1#');
    client.type('show run\r');
    await client.waitFor('hostname sw1');
    expect(client.output).not.toContain('higher');
    expect(device.lines).toEqual(['ops', 'secret', 'enable', 'higher', 'show run']);
    await client.close();
    await device.stop();
  });

  it('ends the session when the device refuses the password', async () => {
    const device = await start();
    leadTo(device, {}, account('lower'));
    const client = await rig.connect();
    expect(await client.message('closed')).toMatchObject({ code: 'connect_switch_failed' });
    await device.stop();
  });
});
