import { afterEach, describe, expect, it } from 'vitest';
import { type PrivateHost, startPrivateHost } from '../../testing/hosts/private-host.ts';
import { as, changed, code, once, PORTS } from '../../testing/hosts/remote-run.ts';
import { becomeOtherSystem, type OtherSystem } from '../../testing/ssh/other-systems.ts';
import type { Become } from './escalation.ts';
import type { RemoteModule, RemotePlatform } from './module.ts';
import { authorizedKey } from './modules/authorized-key.ts';
import { changePassword } from './modules/change-password.ts';
import { command } from './modules/command.ts';
import { facts } from './modules/facts.ts';
import { gatherUsers } from './modules/gather-users.ts';
import { group } from './modules/group.ts';
import { password } from './modules/password.ts';
import { sudoRule } from './modules/sudo-rule.ts';
import { user } from './modules/user.ts';
import { runOnHosts } from './run-on-hosts.ts';

let host: PrivateHost;
afterEach(() => host?.stop());

/**
 * Starts a host that answers like another system; see other-systems.ts for the limits of this test.
 */
async function start(system: OtherSystem, platform: RemotePlatform) {
  host = await startPrivateHost();
  await becomeOtherSystem(host, system);
  const root = as(host, 'root', undefined, { platform });
  return {
    root,
    /** Does a dry run and a run with equal changes, and another run without changes. */
    async settles<Input>(
      module: RemoteModule<Input, unknown>,
      input: Input,
      expected: readonly string[],
      who = root,
    ): Promise<void> {
      expect(changed(await once(who, module, input, { check: true }))).toEqual(expected);
      expect(changed(await once(who, module, input))).toEqual(expected);
      expect(changed(await once(who, module, input))).toEqual([]);
    },
    by: (username: string, become: Become) => as(host, username, become, { platform }),
  };
}

const KEY = `ssh-ed25519 ${Buffer.from('a-key-of-the-test-0123456789').toString('base64')} test`;
const hashOf = (name: string) => host.inside(`grep "^${name}:" /etc/shadow | cut -d: -f2`);

describe('FreeBSD', () => {
  it("creates accounts, groups, passwords, keys and sudo rules with FreeBSD's own programs", async () => {
    const { root, settles, by } = await start('FreeBSD', 'BSD');
    await settles(group, { name: 'crew' }, ['group']);
    await settles(
      user,
      { name: 'deploy', shell: '/bin/bash', comment: "O'Neil: $(touch /tmp/x)", groups: ['crew'] },
      ['user', 'group:crew'],
    );
    expect(await host.inside('id -nG deploy; ls -ld /home/deploy')).toMatch(
      /^deploy crew\ndrwx------ \d+ deploy deploy/,
    );
    await settles(
      user,
      { name: 'deploy', shell: '/bin/sh' },
      ['shell'],
      by('plain', { method: 'su', password: host.passwords.root }),
    );
    await settles(password, { name: 'deploy', password: 'a:b \'"$(id)`é' }, ['password']);
    await settles(authorizedKey, { name: 'deploy', key: KEY, mode: 'add' }, ['key']);
    expect(
      await host.inside('ls -l /home/deploy/.ssh; cat /home/deploy/.ssh/authorized_keys'),
    ).toMatch(/-rw------- 1 deploy deploy[^\n]*\nssh-ed25519 .* test\n$/);
    await settles(sudoRule, { name: 'deploy', commands: '/usr/bin/id' }, ['sudo']);
    expect(await host.inside('cat /usr/local/etc/sudoers.d/*; ls -A /etc/sudoers.d')).toBe(
      'deploy ALL=(ALL) NOPASSWD: /usr/bin/id\n',
    );
    expect(code(await once(root, user, { name: 'root' }))).toBe('remote_root_account');
  });

  it('keeps or undoes a new password', async () => {
    const { root } = await start('FreeBSD', 'BSD');
    const before = await hashOf('plain');
    const change = async (isKept: boolean) => {
      let report: unknown;
      await runOnHosts(PORTS, {
        module: changePassword,
        input: { name: 'plain', password: 'another one' },
        hosts: [root],
        signal: new AbortController().signal,
        decide: async () => isKept,
        onReport: (one) => {
          report = one;
        },
      });
      return report;
    };
    expect(await change(false)).toMatchObject({ state: 'done', result: { isUndone: true } });
    expect(await hashOf('plain')).toBe(before);
    expect(await change(true)).toMatchObject({ state: 'done', result: { isUndone: false } });
    expect(await hashOf('plain')).not.toBe(before);
  });

  it('reports hardware and accounts', async () => {
    const { root } = await start('FreeBSD', 'BSD');
    expect(await once(root, facts, undefined)).toMatchObject({
      state: 'done',
      result: {
        vendor: 'QEMU',
        model: 'Standard PC',
        sn: 'Unknown',
        cpu_model: 'AMD EPYC 7763',
        cpu_cores: 4,
        cpu_vcpus: 8,
        memory: '8.5 G',
        disk_info: '{"ada1":"21.5 G","da0":"1.0 T"}',
        os: 'FreeBSD',
        os_version: '14.2-RELEASE',
        os_arch: 'amd64',
      },
    });
    const gathered = await once(root, gatherUsers, undefined);
    expect(gathered.state === 'done' && gathered.result.map(({ username }) => username)).toEqual(
      expect.arrayContaining(['root', 'plain']),
    );
  });
});

describe('Linux with busybox accounts, as on Alpine', () => {
  it('creates accounts and groups with adduser and addgroup', async () => {
    const { root, settles } = await start('Alpine', 'Linux');
    await settles(group, { name: 'crew' }, ['group']);
    await settles(user, { name: 'deploy', shell: '/bin/sh', comment: 'Deploy', groups: ['crew'] }, [
      'user',
      'group:crew',
    ]);
    expect(await host.inside('id -nG deploy; ls -ld /home/deploy')).toMatch(
      /^deploy crew\ndrwx------ \d+ deploy deploy/,
    );
    // The account is not locked, so sshd accepts its keys.
    expect(await hashOf('deploy')).toBe('*\n');
    await settles(password, { name: 'deploy', password: 'a secret' }, ['password']);
    expect(await once(root, user, { name: 'deploy', shell: '/bin/bash' })).toMatchObject({
      problem: { code: 'remote_tool', params: { tool: 'usermod' } },
    });
  });
});

describe('macOS', () => {
  it('changes keys, and refuses changes that would need secrets on a command line', async () => {
    const { root, settles, by } = await start('macOS', 'MacOS');
    await settles(authorizedKey, { name: 'plain', key: KEY, mode: 'add' }, ['key']);
    expect(await host.inside('cat /home/plain/.ssh/authorized_keys')).toContain(KEY);
    await settles(user, { name: 'plain', shell: '/bin/sh' }, ['home']);
    const refusals = [
      await once(root, user, { name: 'deploy', shell: '/bin/sh' }),
      await once(root, user, { name: 'plain', shell: '/bin/bash' }),
      await once(root, password, { name: 'plain', password: 'x' }),
      await once(root, changePassword, { name: 'plain', password: 'x' }),
    ];
    expect(refusals.map(code)).toEqual(refusals.map(() => 'remote_macos'));
    expect(
      await once(
        by('plain', { method: 'su', password: host.passwords.root }),
        { ...command, runsAs: 'root' },
        { command: 'id -un' },
      ),
    ).toMatchObject({
      result: { output: 'root\n' },
    });
  });

  it('reports hardware and accounts of macOS', async () => {
    const { root } = await start('macOS', 'MacOS');
    expect(await once(root, facts, undefined)).toMatchObject({
      state: 'done',
      result: {
        vendor: 'Apple',
        model: 'Mac14,3',
        cpu_model: 'Apple M2',
        cpu_count: 1,
        cpu_cores: 8,
        cpu_vcpus: 8,
        memory: '17.2 G',
        os: 'macOS',
        os_version: '15.1',
      },
    });
    const gathered = await once(root, gatherUsers, undefined);
    expect(
      gathered.state === 'done' && gathered.result.find(({ username }) => username === 'plain'),
    ).toMatchObject({ home: '/home/plain', shell: '/bin/sh' });
  });
});
