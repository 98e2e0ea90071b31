import type { Charset } from '@sallyport/contract';
import { describe, expect, it, vi } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import { startDevice, type TestDevice } from '../testing/hosts/device.ts';
import { retainedMemory } from '../testing/measures/retained-memory.ts';
import { until } from '../testing/poll.ts';
import { seeded } from '../testing/seeded.ts';
import { decodeText, encodeText } from './charsets.ts';
import type { Guard } from './ports/guard.ts';

const rig = gatewayRig();
/** Retained memory after all rounds of random bytes. */
const MAX_RETAINED = 20 * 2 ** 20;
const [WILL, DO, IAC, SB, SE] = [251, 253, 255, 250, 240] as const;

/** Routes the next connections to a telnet server, with the rig's account by default. */
function leadTo(
  { port }: TestDevice,
  login: { username: string; password: string } = {
    username: rig.sshd.username,
    password: rig.sshd.password ?? '',
  },
  charset: Charset = 'utf8',
): void {
  const grant = grantFor(rig.sshd);
  rig.ports.grant = {
    ...grant,
    asset: { ...grant.asset, port, charset },
    systemUser: { ...grant.systemUser, username: login.username, protocol: 'telnet' },
  };
  rig.ports.login = login;
}

describe('telnet to a device', () => {
  /** Simulates a device that reads lines without echo and stores them. */
  const startSwitch = async (
    options: { readonly prompts?: readonly [string, string]; readonly welcome?: string } = {},
  ) => {
    const [askName, askPassword] = options.prompts ?? ['\r\nUsername: ', 'Password:'];
    const lines: string[] = [];
    const device = await startDevice((socket) => {
      let line = '';
      const own: string[] = [];
      socket.write(`User Access Verification${askName}`);
      socket.on('data', (chunk) => {
        line += chunk.toString('latin1');
        for (let end = line.indexOf('\r\n'); end >= 0; end = line.indexOf('\r\n')) {
          own.push(line.slice(0, end));
          lines.push(line.slice(0, end));
          line = line.slice(end + 2);
          if (own.length === 1) socket.write(askPassword);
          else if (own.length === 2)
            socket.write(
              own[1] === 'secret'
                ? (options.welcome ?? '\r\nsw1>')
                : `\r\nLogin invalid\r\n${askName}`,
            );
          else if (own.at(-1) === 'show version') socket.write('IOS 15.2\r\nsw1>');
          else socket.write('sw1>');
        }
      });
    });
    return { device, lines };
  };
  const CISCO = { username: 'cisco', password: 'secret' };

  it('echoes and edits lines that the device does not echo, and records them as commands', async () => {
    const { device, lines } = await startSwitch();
    leadTo(device, CISCO);
    const client = await rig.connect();
    await client.waitFor('sw1>');
    client.type('show versoin\b\b\bion\r');
    await client.waitFor('IOS 15.2');
    await client.waitFor('sw1>');
    client.type('wrong words\x15show clock\r');
    await client.waitFor('sw1>');
    expect(lines).toEqual(['cisco', 'secret', 'show version', 'show clock']);
    expect(client.output).not.toContain('secret');
    await client.close();
    await rig.finished(client);
    expect(rig.ports.row().commands.map(({ input, output }) => [input, output])).toEqual([
      ['show version', 'IOS 15.2'],
      ['show clock', ''],
    ]);
    await device.stop();
  });

  it('recognizes Chinese prompts, and detects the sign-in by the pattern of the settings', async () => {
    const { device } = await startSwitch({
      prompts: ['\r\n用户名：', '密码：'],
      welcome: '\r\n<core-1 ready>\r\n',
    });
    leadTo(device, CISCO);
    Object.assign(rig.ports, {
      isSignedIn: () => (output: string) => output.includes('core-1 ready'),
    });
    const client = await rig.connect();
    await client.waitFor('<core-1 ready>');
    await client.close();
    leadTo(device, { username: 'cisco', password: 'other' });
    const refused = await rig.connect();
    expect(await refused.message('closed')).toMatchObject({ code: 'connect_credentials' });
    await device.stop();
  });

  it.each([
    ['gbk', '用户名：', '密码：', '华为'],
    ['big5', '帳號：', '密碼：', '許功蓋'],
    ['shift_jis', 'ユーザー名：', 'パスワード：', '表示ソース'],
    ['euc_jp', 'ユーザー名：', 'パスワード：', '表示'],
    ['euc_kr', '사용자 이름:', '비밀번호:', '설정'],
    ['latin1', 'Identifiant:', 'Mot de passe:', 'réseau'],
  ] as const)(
    'signs in, edits, records and lists lines of a device that speaks %s',
    async (charset, askName, askPassword, word) => {
      const lines: string[] = [];
      const device = await startDevice((socket) => {
        const say = (text: string) => socket.write(encodeText(text, charset));
        const heard: string[] = [];
        let waiting = Buffer.alloc(0);
        say(`\r\n${askName}`);
        socket.on('data', (chunk) => {
          waiting = Buffer.concat([waiting, chunk]);
          for (let end = waiting.indexOf('\r\n'); end >= 0; end = waiting.indexOf('\r\n')) {
            heard.push(decodeText(waiting.subarray(0, end), charset));
            lines.push(heard.at(-1) ?? '');
            waiting = waiting.subarray(end + 2);
            if (heard.length === 1) say(`\r\n${askPassword}`);
            else say(heard.length === 2 ? '\r\nsw1>' : `<${word}>\r\nsw1>`);
          }
        });
      });
      leadTo(device, { username: word, password: 'secret' }, charset);
      const client = await rig.connect();
      await client.waitFor('sw1>');
      // An emoji is in no charset of a device but GB18030; the last character is erased whole.
      client.type(`show ${word}${word.at(-1)}\b x\r`);
      await client.waitFor(`<${word}>`);
      await client.waitFor('sw1>');
      if (charset !== 'gbk') {
        client.type('\u{1f600}show y\r');
        expect((await client.message('notice')).message).toContain('charset');
        await until(() => lines.length === 4, 'the second line');
        expect(lines[3]).toBe('show y');
      }
      expect(lines.slice(0, 3)).toEqual([word, 'secret', `show ${word} x`]);
      await client.close();
      await rig.finished(client);
      expect(rig.ports.row().commands[0]).toMatchObject({
        input: `show ${word} x`,
        output: `<${word}>`,
      });
      await device.stop();
    },
  );

  it('refuses an account whose name the charset of the device lacks', async () => {
    const { device, lines } = await startSwitch();
    leadTo(device, { username: '管理员', password: 'secret' }, 'latin1');
    const refused = await rig.connect();
    expect(await refused.message('closed')).toMatchObject({ code: 'connect_charset' });
    expect(lines).toEqual([]);
    await device.stop();
  });

  it('asks before a line of a rule, and sends it only after the word that the rule expects', async () => {
    const { device, lines } = await startSwitch();
    leadTo(device, CISCO);
    const guard: Guard = {
      applies: () => true,
      settled: async () => undefined,
      before: (line) =>
        line === 'reload'
          ? { kind: 'ask', message: 'This restarts the switch.', expects: { word: 'sw1' } }
          : { kind: 'allow' },
      beforeStatement: async () => ({ kind: 'allow' }),
      beforeExec: async (command) => ({ kind: 'allow', command }),
    };
    Object.assign(rig.ports, { guard });
    const client = await rig.connect();
    await client.waitFor('sw1>');
    client.type('reload\r');
    await client.waitFor('to run it: ');
    await client.answer('sw2');
    await client.waitFor('sw2');
    client.type('\r');
    await client.waitFor('This restarts the switch.');
    await client.waitFor('sw1>');
    client.type('show version\r');
    await client.waitFor('IOS 15.2');
    await client.waitFor('sw1>');
    client.type('reload\r');
    await client.waitFor('to run it: ');
    await client.answer('sw1');
    await client.waitFor('sw1');
    client.type('\r');
    await until(() => lines.includes('reload'), 'the line of the rule');
    expect(lines).toEqual(['cisco', 'secret', 'show version', 'reload']);
    await client.close();
    await rig.finished(client);
    expect(rig.ports.row().commands).toMatchObject([
      { input: 'reload', isRefused: true, verdict: 'declined' },
      { input: 'show version' },
      { input: 'reload', verdict: 'confirmed' },
    ]);
    Object.assign(rig.ports, { guard: undefined });
    await device.stop();
  });

  it('leaves the sign-in to the user when no password is stored', async () => {
    const { device, lines } = await startSwitch();
    leadTo(device, { username: 'cisco', password: '' });
    const client = await rig.connect();
    await client.waitFor('Username: ');
    client.type('cisco\r');
    await client.waitFor('Password:');
    client.type('secret\r');
    await client.waitFor('sw1>');
    expect(lines).toEqual(['cisco', 'secret']);
    await client.close();
    await device.stop();
  });

  /** Simulates a console behind a serial server: silent until a user presses Enter. */
  const startConsole = async (
    use: { readonly banner?: string; readonly afterEnter?: string; readonly early?: boolean } = {},
  ) => {
    const all: string[][] = [];
    const device = await startDevice((socket) => {
      let line = '';
      const lines: string[] = [];
      all.push(lines);
      socket.write(Buffer.concat([Buffer.from([IAC, WILL, 3]), Buffer.from(use.banner ?? '')]));
      socket.on('data', (chunk) => {
        line += chunk.toString('latin1').replace(/\xff[\xfb-\xfe]./gs, '');
        for (let end = line.search(/\r[\n\0]/); end >= 0; end = line.search(/\r[\n\0]/)) {
          lines.push(line.slice(0, end));
          line = line.slice(end + 2);
          const count = lines.filter((one) => one !== '').length;
          // The first prompt comes again for the empty line, in its own packet.
          if (use.early && lines.length === 1) socket.write('\r\nsw1 login: ');
          if (count === 0) socket.write(use.afterEnter ?? '\r\nsw1 login: ');
          else if (count === 1) socket.write('\r\nPassword: ');
          else socket.write(lines.includes('secret') ? '\r\nsw1# ' : '\r\nLogin incorrect\r\n');
        }
      });
    });
    return { device, lines: () => all.at(-1) ?? [] };
  };

  it.each([
    ['without a word', {}],
    ['below a banner', { banner: 'ser2net port 4001 device /dev/ttyS0 [9600 8N1]\r\n\r\n' }],
    ['and asks twice', { early: true }],
  ])('wakes a console that waits for Enter %s, and signs in', async (_, use) => {
    const { device, lines } = await startConsole(use);
    leadTo(device, CISCO);
    const client = await rig.connect();
    await client.waitFor('sw1# ');
    expect(lines()).toEqual(['', 'cisco', 'secret']);
    await client.close();
    leadTo(device, { username: 'cisco', password: 'other' });
    const refused = await rig.connect();
    expect(await refused.message('closed')).toMatchObject({ code: 'connect_credentials' });
    await device.stop();
  });

  it.each(['\r\nsw1> ', '\r\nWho are you today? ', '\r\nPress any key'])(
    'hands the terminal over at the unknown line %j',
    async (afterEnter) => {
      const { device, lines } = await startConsole({ afterEnter });
      leadTo(device, CISCO);
      const client = await rig.connect();
      await client.waitFor(afterEnter.trim());
      expect(lines()).toEqual(['']);
      client.type('hello\r');
      await until(() => lines().includes('hello'), 'the line of the user');
      expect(lines()).not.toContain('secret');
      await client.close();
      await device.stop();
    },
  );

  it('leaves the prompts to a user who enters no password into the dialog', async () => {
    const { device, lines } = await startSwitch();
    leadTo(device, { username: '', password: '' });
    const { grant } = rig.ports;
    if (grant)
      rig.ports.grant = { ...grant, systemUser: { ...grant.systemUser, loginMode: 'manual' } };
    const client = await rig.connect();
    await client.message('need_credentials');
    client.send({ type: 'credentials', username: '', password: '' });
    await client.waitFor('Username: ');
    expect(lines).toEqual([]);
    await client.close();
    await device.stop();
  });

  it('refuses unknown options and answers each change once', async () => {
    let answered = Buffer.alloc(0);
    const device = await startDevice((socket) => {
      socket.on('data', (chunk) => {
        answered = Buffer.concat([answered, chunk]);
      });
      // A repeated request, an unknown option, endless parameters and an escaped byte 255, byte by
      // byte.
      for (const byte of [
        IAC,
        DO,
        31,
        IAC,
        DO,
        31,
        IAC,
        WILL,
        200,
        IAC,
        SB,
        24,
        ...Buffer.alloc(5000, 1),
        IAC,
        SE,
        IAC,
        IAC,
        65,
      ])
        socket.write(Buffer.from([byte]));
    });
    leadTo(device, { username: 'x', password: '' });
    const client = await rig.connect();
    await client.waitFor('A');
    const sizes = [IAC, SB, 31, 0, 80, 0, 24, IAC, SE];
    for (const answer of [[IAC, 254, 200], sizes])
      await client.until('the answers', () =>
        answered.includes(Buffer.from(answer)) ? true : undefined,
      );
    expect([...answered].slice(0, 3)).toEqual([IAC, WILL, 31]);
    expect(
      [...answered].filter((byte, index) => byte === WILL && answered[index + 1] === 31),
    ).toHaveLength(1);
    await client.close();
    await device.stop();
  });

  it('ends the session of a device that floods options and reads no answers', async () => {
    const device = await startDevice((socket) => {
      socket.pause();
      const flood = Buffer.alloc(64 * 1024);
      for (let at = 0; at + 3 <= flood.length; at += 3) flood.set([IAC, DO, 200], at);
      const send = () => {
        while (!socket.destroyed && socket.write(flood));
        if (!socket.destroyed) socket.once('drain', send);
      };
      send();
    });
    leadTo(device, { username: 'x', password: '' });
    const client = await rig.connect();
    await client.message('closed');
    await device.stop();
  });

  it('survives random bytes and options: at most that session ends, and the next one works', async () => {
    const random = seeded(20_261_121);
    const byte = () => Math.floor(random() * 256);
    // Commands of telnet, then ends of parameters, then anything.
    const piece = () =>
      random() < 0.4
        ? [IAC, 240 + Math.floor(random() * 16), byte()]
        : random() < 0.5
          ? [IAC, SB, byte(), byte(), IAC, SE]
          : [byte(), byte()];
    const memory = await retainedMemory();
    const complaints = vi.spyOn(console, 'error');
    for (let round = 0; round < 40; round++) {
      const pieces = Array.from({ length: 200 }, () => Buffer.from(piece()));
      const device = await startDevice((socket) => {
        for (const one of pieces) socket.write(one);
        socket.end();
      });
      leadTo(device, { username: 'x', password: '' });
      const client = await rig.connect();
      await client.message('closed');
      await device.stop();
    }
    expect((await retainedMemory()) - memory).toBeLessThan(MAX_RETAINED);
    expect(complaints).not.toHaveBeenCalled();
    const { device } = await startSwitch();
    leadTo(device, CISCO);
    const client = await rig.connect();
    await client.waitFor('sw1>');
    await client.close();
    await device.stop();
  });
});
