import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { actionMask } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import { type BuiltUser, buildPermission, buildUser } from '../../../testing/builders.ts';
import { type OpenSshWorld, startOpenSshWorld } from '../../../testing/ssh/open-ssh-world.ts';
import { SSH_REQUESTS, type SshRequest } from '../../listeners/ssh/requests.ts';

let world: OpenSshWorld;
let elsewhere: { address(): AddressInfo; close(): void };
let people: Readonly<Record<string, BuiltUser>>;
beforeAll(async () => {
  world = await startOpenSshWorld();
  const { db } = world.test;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('reached\n');
  });
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  elsewhere = { address: () => server.address() as AddressInfo, close: () => server.close() };
  // The member may forward ports, so that the refusals below have other reasons.
  await buildPermission(db, {
    organization: world.organization,
    users: [world.member.id],
    assets: [world.asset],
    systemUsers: [world.systemUser],
    actions: actionMask(['forward_port']),
  });
  const organization = world.organization;
  const [disabled, expired] = [await buildUser(db), await buildUser(db)];
  people = {
    granted: world.member,
    user: await buildUser(db, { memberOf: [{ organization, role: 'User' }] }),
    'org auditor': await buildUser(db, { memberOf: [{ organization, role: 'Auditor' }] }),
    'org admin': await buildUser(db, { memberOf: [{ organization, role: 'Admin' }] }),
    auditor: await buildUser(db, { role: 'Auditor' }),
    'super admin': await buildUser(db, { role: 'Admin' }),
    disabled,
    expired,
    nobody: { id: '', username: 'nobody-of-this-name', password: 'no password 1' },
  };
  await sql`update account set is_active = false where id = ${disabled.id}`.execute(db);
  await sql`update account set date_expired = now() - interval '1 second' where id = ${expired.id}`.execute(
    db,
  );
});
afterAll(async () => {
  elsewhere.close();
  await world.stop();
});

const SIGNED_OUT = ['disabled', 'expired', 'nobody'];

/** Arguments with which `ssh` sends the request, and the output that proves success. */
const CALLS: Readonly<
  Record<
    SshRequest['name'],
    { options?: readonly string[]; command?: string; input?: string; until?: RegExp; got: RegExp }
  >
> = {
  shell: { options: ['-tt'], input: 'echo g"o"t\nexit\n', got: /got/ },
  'exec with a terminal': { options: ['-tt'], command: 'echo g"o"t', got: /got/ },
  exec: { command: 'echo g"o"t', got: /got/ },
  // SSH_FXP_INIT, which the server answers with SSH_FXP_VERSION.
  sftp: {
    options: ['-s'],
    command: 'sftp',
    input: '\0\0\0\x05\x01\0\0\0\x03',
    got: /posix-rename/,
  },
  jump: {
    options: ['-W', 'HOSTNAME:22'],
    input: 'SSH-2.0-test\r\n',
    until: /ssh-ed25519-cert|not granted/,
    got: /SSH-2\.0-Sallyport[\s\S]*ssh-ed25519-cert/,
  },
  'direct-tcpip to the server': {
    options: ['-W', 'localhost:PORT'],
    input: 'SSH-2.0-test\r\n',
    until: /OpenSSH/,
    got: /SSH-2\.0-OpenSSH/,
  },
  'direct-tcpip': {
    options: ['-W', '127.0.0.2:ELSEWHERE'],
    input: 'x',
    until: /reached/,
    got: /reached/,
  },
  'tcpip-forward': {
    options: ['-N', '-R', '0:127.0.0.1:1', '-o', 'ExitOnForwardFailure=yes', '-o', 'LogLevel=INFO'],
    got: /Allocated port/,
  },
  'streamlocal-forward': {
    options: ['-R', '/tmp/no-such-socket:127.0.0.1:1', '-o', 'ExitOnForwardFailure=yes'],
    command: 'echo g"o"t',
    got: /got/,
  },
  'auth-agent-req': {
    options: ['-A'],
    command: 'test -z "$SSH_AUTH_SOCK" || echo got',
    got: /got/,
  },
  'x11-req': { options: ['-X'], command: 'test -z "$DISPLAY" || echo got', got: /got/ },
};

it.each(SSH_REQUESTS.map(({ name, allowed }) => [name, allowed] as const))(
  'answers %s to every role as the document says',
  async (name, allowed) => {
    const { got, options = [], ...call } = CALLS[name];
    for (const [who, { username, password }] of Object.entries(people)) {
      const words = options.map((word) =>
        word
          .replace('PORT', String(world.sshd.port))
          .replace('HOSTNAME', world.hostname)
          .replace('ELSEWHERE', String(elsewhere.address().port)),
      );
      const login = name === 'jump' ? username : `${username}@@${world.hostname}`;
      const { code, stdout, stderr } = await world.ssh.run({
        login,
        password,
        ...call,
        options: words,
      });
      expect([who, name, got.test(`${stdout}${stderr}`)]).toEqual([
        who,
        name,
        allowed === 'granted' && who === 'granted',
      ]);
      expect([who, name, /Permission denied/.test(stderr)]).toEqual([
        who,
        name,
        SIGNED_OUT.includes(who),
      ]);
      if (SIGNED_OUT.includes(who)) expect([who, code]).toEqual([who, 255]);
    }
  },
);
