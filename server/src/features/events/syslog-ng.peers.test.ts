import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { freePort } from '../../testing/free-port.ts';
import { requirePeers } from '../../testing/peers.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const PATH = 'audits/event-receivers/';
let test: TestProgram;
let admin: Client;
let folder: string;
let daemon: ChildProcess;
const ports = { network: 0, syslog: 0 };

beforeAll(async () => {
  requirePeers('syslog-ng-core');
  folder = await mkdtemp(join(tmpdir(), 'sallyport-syslog-ng-'));
  ports.network = await freePort();
  ports.syslog = await freePort();
  await writeFile(
    join(folder, 'syslog-ng.conf'),
    `@version: 3.38
source s_network {
  network(ip("127.0.0.1") transport("tcp") port(${ports.network}) flags(syslog-protocol));
};
source s_syslog { syslog(ip("127.0.0.1") transport("tcp") port(${ports.syslog})); };
template t { template("$SOURCE|$PROGRAM|$MSGID|$SEVERITY|$MSG\\n"); };
destination d { file("${folder}/received" template(t)); };
log { source(s_network); source(s_syslog); destination(d); };
`,
  );
  daemon = spawn(
    '/usr/sbin/syslog-ng',
    [
      '--foreground',
      '--no-caps',
      `--cfgfile=${folder}/syslog-ng.conf`,
      `--persist-file=${folder}/persist`,
      `--pidfile=${folder}/pid`,
      `--control=${folder}/control`,
    ],
    { stdio: 'ignore' },
  );
  for (const port of Object.values(ports))
    await until(async () => {
      const socket = connect(port, '127.0.0.1');
      const answer = await Promise.race([
        once(socket, 'connect').then(() => true),
        once(socket, 'error').then(() => false),
      ]).catch(() => false);
      socket.destroy();
      return answer;
    }, 'syslog-ng listens');
  test = await startTestProgram();
  admin = await bearer(test);
  await admin.patch('settings/setting/', { SECURITY_PLAIN_EVENT_RECEIVERS: true });
});
afterAll(async () => {
  await test?.stop();
  daemon.kill('SIGTERM');
  await once(daemon, 'exit');
  await rm(folder, { recursive: true, force: true });
});

const received = () =>
  existsSync(join(folder, 'received'))
    ? readFileSync(join(folder, 'received'), 'utf8').trim().split('\n')
    : [];

// syslog-ng 3.38.1: network() reads lines, syslog() octet counting.
it.each([
  ['newline', 'network'],
  ['octets', 'syslog'],
] as const)(
  'sends messages with the framing %s that syslog-ng reads at %s()',
  async (framing, source) => {
    const { status, body, text } = await admin.post<Json>(PATH, {
      name: unique('receiver'),
      type: 'syslog',
      host: '127.0.0.1',
      port: ports[source],
      transport: 'tcp',
      framing,
    });
    expect(status, text).toBe(201);
    const { body: answer } = await admin.post<Json>(`${PATH}${body.id}/test/`);
    expect(answer).toMatchObject({ is_valid: true });
    const line = () =>
      received().find((one) => one.startsWith(`s_${source}|`) && one.includes('|test|'));
    await until(() => line() !== undefined, 'syslog-ng has written the event');
    const [, program, kind, severity, ...event] = String(line()).split('|');
    expect([program, kind, severity]).toEqual(['sallyport', 'test', 'info']);
    expect(JSON.parse(event.join('|'))).toMatchObject({
      kind: 'test',
      data: { receiver: body.name },
    });
    await admin.delete(`${PATH}${body.id}/`);
  },
);
