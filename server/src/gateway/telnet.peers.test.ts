import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayRig } from '../testing/gateway/gateway-rig.ts';
import { grantFor } from '../testing/gateway/memory-ports.ts';
import type { TestDevice } from '../testing/hosts/device.ts';
import { startSer2net } from '../testing/hosts/ser2net.ts';
import { startSerialDevice } from '../testing/hosts/serial-device.ts';
import { until } from '../testing/poll.ts';
import { keyLogin } from '../testing/ssh/shell.ts';
import { startSshd } from '../testing/ssh/sshd.ts';
import { startTelnetd } from '../testing/ssh/telnetd.ts';

const rig = gatewayRig({}, startSshd);

/** Routes the next connections to a telnet server, with the rig's account by default. */
function leadTo(
  { port }: TestDevice,
  login: { username: string; password: string } = {
    username: rig.sshd.username,
    password: rig.sshd.password ?? '',
  },
): void {
  const grant = grantFor(rig.sshd);
  rig.ports.grant = {
    ...grant,
    asset: { ...grant.asset, port },
    systemUser: { ...grant.systemUser, username: login.username, protocol: 'telnet' },
  };
  rig.ports.login = login;
}

it('sets the line of ser2net, signs in at the console behind it, and sends a break', async () => {
  const line = await startSerialDevice();
  const ser2net = await startSer2net(line);
  leadTo(ser2net, { username: 'ops', password: 'secret' });
  const { grant } = rig.ports;
  const telnet = { username: '', password: '', success: '', failure: '', line: '9600 7E2' };
  if (grant) rig.ports.grant = { ...grant, systemUser: { ...grant.systemUser, telnet } };
  const client = await rig.connect();
  await client.waitFor('console> ');
  for (const request of ['2:07', '3:03', '4:02', '1:00002580'])
    expect(line.requests).toContain(request);
  client.send({ type: 'break' });
  await until(() => line.requests.includes('5:06'), 'the end of the break');
  client.type('show version\r');
  await until(() => line.lines.includes('show version'), 'the line after the break');
  await client.close();
  await ser2net.stop();
  await line.stop();
});

describe('telnet to a server', () => {
  let telnetd: TestDevice;
  beforeAll(async () => {
    telnetd = await startTelnetd();
    await writeFile(join(rig.sshd.home, '.bash_profile'), "PS1='ready> '\n");
  });
  afterAll(() => telnetd.stop());

  it('signs in, sets terminal type and size, records and lists commands', async () => {
    leadTo(telnetd);
    const client = await rig.connect();
    await client.message('open');
    await client.waitFor('ready> ');
    client.type('echo $TERM 世界\r');
    await client.waitFor('\rxterm-256color 世界');
    // Keys before the prompt are echoed twice, by the terminal and by the shell.
    await client.waitFor('ready> ');
    client.send({ type: 'resize', cols: 101, rows: 31 });
    client.type('stty size\r');
    await client.waitFor('31 101');
    await client.waitFor('ready> ');
    // The interrupt goes to the process group of the subshell; bash alone would ignore it.
    client.type('(echo be""gin; sleep 60)\r');
    await client.waitFor('begin');
    client.type('\x03');
    await client.waitFor('ready> ');
    client.type('exit');
    await client.waitFor('exit');
    client.type('\r');
    expect(await client.message('closed')).toMatchObject({ code: 'connect_target_closed' });
    expect(await rig.finished(client)).toMatchObject({ success: true, replayState: 'finished' });
    // A telnetd that exits may drop its last output, and with it the echo of the last line.
    const [first, second, third, ...last] = rig.ports.row().commands.map(({ input }) => input);
    expect([first, second, third]).toEqual([
      'echo $TERM 世界',
      'stty size',
      '(echo be""gin; sleep 60)',
    ]);
    expect([[], ['exit']]).toContainEqual(last);
    expect(client.output).not.toContain(rig.ports.login?.password);
  });

  it('pauses the server when the user reads slowly, and loses nothing', async () => {
    leadTo(telnetd);
    const client = await rig.connect();
    await client.waitFor('ready> ');
    client.type('seq 1 200000; echo do""ne\r');
    await client.waitFor('\r\n1000\r\n');
    client.socket.pause();
    // Let another session work.
    const other = await rig.connect();
    await other.waitFor('ready> ');
    await other.close();
    client.socket.resume();
    await client.waitFor('done');
    expect(client.output).toContain('\r\n199999\r\n200000\r\n');
    await client.close();
  });

  it('connects through SSH gateways', async () => {
    leadTo(telnetd);
    rig.ports.hops = [
      {
        id: 'h1',
        name: 'first',
        host: rig.sshd.host,
        port: rig.sshd.port,
        login: keyLogin(rig.sshd),
      },
    ];
    const client = await rig.connect();
    await client.waitFor('ready> ');
    expect([...rig.ports.pins.keys()]).toEqual(['gateway:h1']);
    await client.close();
  });

  it('rejects a wrong stored password, and asks a user again', async () => {
    leadTo(telnetd, { username: rig.sshd.username, password: 'wrong one' });
    const refused = await rig.connect();
    expect(await refused.message('closed')).toMatchObject({ code: 'connect_credentials' });
    const { grant } = rig.ports;
    if (grant)
      rig.ports.grant = { ...grant, systemUser: { ...grant.systemUser, loginMode: 'manual' } };
    const client = await rig.connect();
    await client.message('need_credentials');
    client.send({ type: 'credentials', username: rig.sshd.username, password: 'wrong' });
    await client.until(
      'the second question',
      () => client.messages.filter(({ type }) => type === 'need_credentials')[1],
    );
    client.send({
      type: 'credentials',
      username: rig.sshd.username,
      password: rig.sshd.password ?? '',
    });
    await client.waitFor('ready> ');
    await client.close();
  });
});
