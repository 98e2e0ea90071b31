import { describe, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { startHostileServer } from '../testing/hostile/hostile-server.ts';
import { CONTINUES, type HostileTelnet, TELNET_ATTACKS } from '../testing/hostile/telnet.ts';
import { longestBlock } from '../testing/measures/longest-block.ts';
import { Negotiation } from './protocols/telnet/negotiation.ts';
import { SignIn } from './protocols/telnet/sign-in.ts';

const rig = gatewayRig();

/** Bytes that an attack may send before its session ends, besides those in network buffers. */
const MAX_TAKEN = 16 * 1024 * 1024;

/** Opens a terminal at a hostile server; returns the reason of its end. */
async function attacked({ serve, expected, stalls }: HostileTelnet) {
  const server = await startHostileServer(serve);
  try {
    const grant = grantFor(rig.sshd);
    rig.ports.rows.clear();
    rig.ports.grant = {
      ...grant,
      asset: { ...grant.asset, port: server.port },
      systemUser: { ...grant.systemUser, username: 'somebody', protocol: 'telnet' },
    };
    rig.ports.login = { username: 'somebody', password: 'secret' };
    rig.ports.limitValues = { ...rig.ports.limitValues, connectSeconds: stalls ? 1 : 60 };
    const client = await rig.connect();
    client.keepsOutput = false;
    if (expected === CONTINUES) {
      await client.message('open');
      client.type('\r');
      await client.until('a flood', () => (server.sent() > 2_000_000 ? true : undefined));
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

describe('a hostile telnet server', () => {
  it.each(TELNET_ATTACKS)('ends the session with $expected when it $name', async (attack) => {
    const { reason, taken } = await attacked(attack);
    if (attack.expected !== CONTINUES) expect(taken).toBeLessThan(MAX_TAKEN);
    expect(reason).toBe(attack.expected);
  });
});

it('reads a packet of options and data without holding the event loop during the sign-in', async () => {
  const packet = Buffer.from([0x78, 255, 241]);
  const chunk = Buffer.concat(Array.from({ length: 21_845 }, () => packet));
  const share = await longestBlock(() => {
    const signIn = new SignIn({ username: 'u', password: 'p' });
    signIn.read('Password: ');
    const negotiation = new Negotiation(
      { send: () => undefined, onData: (bytes) => signIn.read(bytes.toString()) },
      'xterm',
      { cols: 80, rows: 24 },
    );
    negotiation.read(chunk);
  });
  expect(share).toBeLessThan(1);
});

it.each([
  ...[
    'login as: ',
    'Login: ',
    'login:',
    'User Name:',
    'user-id: ',
    'Logon name:',
    'User:',
    'name: ',
  ],
  ...['switch-3 login: ', 'Username (1-32 characters):', 'login [admin]: ', 'Account: ', 'user> '],
  ...[
    '用户名：',
    '帐号:',
    '账户：',
    '登录名: ',
    'ユーザー名: ',
    'Benutzername: ',
    'Utilisateur : ',
  ],
])('answers the prompt %j with the username, and never with the password', (prompt) => {
  const signIn = new SignIn({ username: 'u', password: 'p' });
  expect(signIn.read(`Welcome\r\n${prompt}`)).toEqual({ kind: 'answer', line: 'u' });
});

it.each([
  ...['Password: ', "u@10.0.0.1's password: ", 'Enter PASSCODE: ', 'Passwort: ', '密码：', '口令:'],
  ...[
    'Passphrase: ',
    'Mot de passe : ',
    'Contraseña: ',
    'パスワード: ',
    'PIN: ',
    'Password for u: ',
  ],
])('answers the prompt %j with the password', (prompt) => {
  const signIn = new SignIn({ username: 'u', password: 'p' });
  expect(signIn.read(`Welcome\r\n${prompt}`)).toEqual({ kind: 'answer', line: 'p' });
});

it.each([
  ...['Press Enter to continue', 'Your account expires in 3 days', 'pin the tail', 'shopping: '],
  ...['Terminal server ts1, port 4', 'Last user action', 'Are you sure? ', 'Unit [1]: ', '> '],
])('answers nothing to %j', (line) => {
  const signIn = new SignIn({ username: 'u', password: 'p' });
  expect(signIn.read(`Welcome\r\n${line}`).kind).toBe('wait');
});

it('tells reports of earlier failures from a failed sign-in', () => {
  const verdict = (output: string) => {
    const signIn = new SignIn({ username: 'u', password: 'p' });
    signIn.read('Password: ');
    return signIn.read(output).kind;
  };
  expect(verdict('\r\nThere were 3 failed login attempts.\r\nhost$ ')).toBe('signed-in');
  expect(verdict('\rLast failed login: today\r\nhost$ ')).toBe('signed-in');
  expect(verdict('\r\n3 failed login attempts\r\nLogin failed\r\n')).toBe('rejected');
});
