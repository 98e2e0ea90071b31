import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PrivateHost, startPrivateHost } from '../../testing/hosts/private-host.ts';
import { as, changed, code, once, PORTS } from '../../testing/hosts/remote-run.ts';
import type { RemoteModule } from './module.ts';
import { authorizedKey } from './modules/authorized-key.ts';
import { command, script } from './modules/command.ts';
import { facts } from './modules/facts.ts';
import { gatherUsers } from './modules/gather-users.ts';
import { group } from './modules/group.ts';
import { password } from './modules/password.ts';
import { ping } from './modules/ping.ts';
import { sudoRule } from './modules/sudo-rule.ts';
import { user } from './modules/user.ts';
import { type HostReport, type RemoteHost, runOnHosts } from './run-on-hosts.ts';
import { wordRemoteProblem } from './words.ts';

let debian: PrivateHost;
let busybox: PrivateHost;
beforeAll(async () => {
  [debian, busybox] = await Promise.all([startPrivateHost(), startPrivateHost('busybox')]);
});
afterAll(() => Promise.all([debian?.stop(), busybox?.stop()]));

const root = () => as(debian, 'root');

/**
 * Does a dry run, a run, another run and another dry run. Both first runs report the changes, and
 * both later runs report none.
 */
async function settles<Input>(
  module: RemoteModule<Input, unknown>,
  input: Input,
  expected: readonly string[],
  host = root(),
): Promise<void> {
  const before = await debian.inside(
    'cat /etc/passwd /etc/group /etc/shadow; ls -lR --full-time /home /etc/sudoers.d',
  );
  expect(changed(await once(host, module, input, { check: true }))).toEqual(expected);
  expect(
    await debian.inside(
      'cat /etc/passwd /etc/group /etc/shadow; ls -lR --full-time /home /etc/sudoers.d',
    ),
  ).toBe(before);
  expect(changed(await once(host, module, input))).toEqual(expected);
  expect(changed(await once(host, module, input))).toEqual([]);
  expect(changed(await once(host, module, input, { check: true }))).toEqual([]);
}

describe('becoming root', () => {
  const who = async (host: RemoteHost) =>
    once(host, { ...command, runsAs: 'root' }, { command: 'id -un' });
  const asRoot = { state: 'done', result: { output: 'root\n', status: 0 } };

  it('becomes root directly, with sudo with and without a password, and with su', async () => {
    const { passwords } = debian;
    expect(await who(root())).toMatchObject(asRoot);
    expect(await who(as(debian, 'admin', { method: 'sudo' }))).toMatchObject(asRoot);
    // An unused password must not reach the script.
    expect(
      await who(as(debian, 'admin', { method: 'sudo', password: passwords.admin })),
    ).toMatchObject(asRoot);
    expect(
      await who(as(debian, 'deputy', { method: 'sudo', password: passwords.deputy })),
    ).toMatchObject(asRoot);
    expect(
      await who(as(debian, 'plain', { method: 'su', password: passwords.root })),
    ).toMatchObject(asRoot);
  });

  it('reports why an account cannot become root', async () => {
    expect(code(await who(as(debian, 'deputy', { method: 'sudo', password: 'wrong' })))).toBe(
      'remote_become_secret',
    );
    expect(code(await who(as(debian, 'deputy', { method: 'sudo' })))).toBe('remote_become_asks');
    expect(code(await who(as(debian, 'plain', { method: 'su', password: 'wrong' })))).toBe(
      'remote_become_secret',
    );
    const refused = await who(
      as(debian, 'plain', { method: 'sudo', password: debian.passwords.plain }),
    );
    expect(code(refused)).toBe('remote_become');
    const missing = await who(as(busybox, 'plain', { method: 'sudo', password: 'x' }));
    expect(missing).toMatchObject({
      state: 'failed',
      problem: { code: 'remote_tool', params: { tool: 'sudo' } },
    });
    if (missing.state === 'failed')
      expect(wordRemoteProblem(missing.problem, 'en')).toBe(
        'The program sudo is missing on the server.',
      );
    expect(
      await once(as(debian, 'root', undefined, { platform: 'Other' }), ping, undefined),
    ).toMatchObject({ problem: { code: 'remote_platform' } });
  });
});

describe('modules', () => {
  it('pings a host, and reports accounts without a shell', async () => {
    expect(await once(as(debian, 'plain'), ping, undefined)).toMatchObject({
      state: 'done',
      changed: [],
    });
    expect(await once(as(busybox, 'plain'), ping, undefined)).toMatchObject({
      state: 'done',
      changed: [],
    });
    await debian.inside('usermod -s /usr/sbin/nologin plain');
    expect(code(await once(as(debian, 'plain'), ping, undefined))).toBe('remote_account');
    await debian.inside('usermod -s /bin/sh plain');
    expect(code(await once(as(debian, 'nobody-here'), ping, undefined))).toBe(
      'connect_credentials',
    );
  });

  it('returns CPU, memory and disks of a Linux host', async () => {
    for (const host of [debian, busybox]) {
      const report = await once(as(host, 'root'), facts, undefined);
      expect(report).toMatchObject({
        state: 'done',
        changed: [],
        result: {
          os_arch: expect.stringMatching(/\w/),
          memory: expect.stringMatching(/^\d+\.\d [KMGT]$/),
        },
      });
      if (report.state !== 'done') continue;
      expect(report.result.cpu_vcpus).toBe(Number(await debian.inside('nproc --all')));
      expect(JSON.parse(report.result.disk_info)).toBeTypeOf('object');
      expect(report.result.hostname_raw).toBe((await debian.inside('uname -n')).trim());
    }
  });

  it('creates and updates users and groups', async () => {
    await settles(group, { name: 'crew' }, ['group']);
    await settles(
      user,
      { name: 'deploy', shell: '/bin/bash', comment: "O'Neil: $(touch /tmp/x)", groups: ['crew'] },
      ['user', 'group:crew'],
    );
    expect(await debian.inside('id -nG deploy; ls -ld /home/deploy')).toMatch(
      /^deploy crew\ndrwx------ \d+ deploy deploy/,
    );
    await settles(
      user,
      { name: 'deploy', shell: '/bin/sh' },
      ['shell'],
      as(debian, 'deputy', { method: 'sudo', password: debian.passwords.deputy }),
    );
    await debian.inside('chmod 755 /home/deploy');
    await settles(user, { name: 'deploy' }, ['home']);
    expect(code(await once(root(), user, { name: 'root' }))).toBe('remote_root_account');
    // Accounts of services have small ids, or that of `nobody`.
    for (const name of ['www-data', 'nobody'])
      expect(code(await once(root(), user, { name, shell: '/bin/sh' }))).toBe(
        'remote_system_account',
      );
    expect(await once(root(), user, { name: 'deploy', shell: '/bin/none' })).toMatchObject({
      problem: { code: 'remote_no_shell', params: { shell: '/bin/none' } },
    });
    expect(code(await once(as(debian, 'plain'), user, { name: 'late' }))).toBe('remote_root');
    expect(await once(as(busybox, 'root'), user, { name: 'late' })).toMatchObject({
      problem: { code: 'remote_tool', params: { tool: 'useradd' } },
    });
  });

  it('adds, removes and replaces authorized keys', async () => {
    const key = (name: string) =>
      `ssh-ed25519 ${Buffer.from(`${name}-0123456789abcdef0123`).toString('base64')} ${name}`;
    await settles(authorizedKey, { name: 'admin', key: key('one'), mode: 'add' }, ['key']);
    expect(await debian.inside('cat /home/admin/.ssh/authorized_keys')).toBe(
      `${debian.publicKey}\n${key('one')}\n`,
    );
    await settles(
      authorizedKey,
      { name: 'admin', key: key('one'), mode: 'remove' },
      ['key'],
      as(debian, 'admin'),
    );
    await settles(
      authorizedKey,
      { name: 'plain', key: debian.publicKey, mode: 'only' },
      [],
      as(debian, 'admin', { method: 'sudo' }),
    );
    await debian.inside('printf "# note\\nssh-rsa AAAA old" >>/home/plain/.ssh/authorized_keys');
    await settles(authorizedKey, { name: 'plain', key: debian.publicKey, mode: 'only' }, ['key']);
    expect(
      await debian.inside('ls -l /home/plain/.ssh; cat /home/plain/.ssh/authorized_keys'),
    ).toMatch(/-rw------- 1 plain plain .*authorized_keys\nssh-ed25519 [^\n]*\n# note\n$/);
    // The account itself writes the file, so its link leads root nowhere.
    await debian.inside(
      'mkdir /etc/private; rm -rf /home/deputy/.ssh; ln -s /etc/private /home/deputy/.ssh',
    );
    expect(
      code(await once(root(), authorizedKey, { name: 'deputy', key: key('two'), mode: 'add' })),
    ).toBe('remote_failed');
    expect(await debian.inside('ls /etc/private')).toBe('');
    await debian.inside(
      'rm /home/deputy/.ssh; mkdir -m 700 /home/deputy/.ssh; cp /home/admin/.ssh/authorized_keys /home/deputy/.ssh/; chown -R deputy:deputy /home/deputy/.ssh',
    );
    expect(
      code(
        await once(as(busybox, 'root'), authorizedKey, {
          name: 'plain',
          key: key('one'),
          mode: 'add',
        }),
      ),
    ).toBe('remote_tool');
    expect(
      changed(
        await once(as(busybox, 'plain'), authorizedKey, {
          name: 'plain',
          key: key('one'),
          mode: 'add',
        }),
      ),
    ).toEqual(['key']);
    expect(
      changed(
        await once(as(busybox, 'plain'), authorizedKey, {
          name: 'plain',
          key: key('one'),
          mode: 'add',
        }),
      ),
    ).toEqual([]);
  });

  it('writes and removes sudo rules, and restores the previous file of an invalid one', async () => {
    const may = () =>
      once(as(debian, 'plain', { method: 'sudo' }), { ...ping, runsAs: 'root' }, undefined);
    await settles(sudoRule, { name: 'plain', commands: '/bin/sh\n/usr/bin/id' }, ['sudo']);
    expect(await may()).toMatchObject({ state: 'done' });
    const refused = await once(root(), sudoRule, { name: 'plain', commands: 'not a path' });
    expect(refused).toMatchObject({
      problem: { code: 'remote_sudo_rule' },
      detail: expect.stringContaining('not a path'),
    });
    expect(
      code(
        await once(root(), sudoRule, { name: 'plain', commands: 'not a path' }, { check: true }),
      ),
    ).toBe('remote_sudo_rule');
    // The rule is valid alone, but conflicts with another: the previous file is restored.
    await debian.inside(
      'printf "broken rule\\n" >/etc/sudoers.d/other; chmod 440 /etc/sudoers.d/other',
    );
    expect(code(await once(root(), sudoRule, { name: 'plain', commands: '/bin/true' }))).toBe(
      'remote_sudo_rule',
    );
    await debian.inside('rm /etc/sudoers.d/other');
    expect(await debian.inside('ls -A /etc/sudoers.d; cat /etc/sudoers.d/*')).toBe(
      'sallyport-plain\nplain ALL=(ALL) NOPASSWD: /bin/sh, /usr/bin/id\n',
    );
    await settles(sudoRule, { name: 'plain', commands: '' }, ['sudo']);
    expect(await debian.inside('ls -A /etc/sudoers.d')).toBe('');
    expect(
      code(await once(as(busybox, 'root'), sudoRule, { name: 'plain', commands: '/bin/sh' })),
    ).toBe('remote_tool');
  });

  it('sets passwords of all printable characters', async () => {
    const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('');
    for (const secret of [printable, '密码 пароль 🔑 é']) {
      await settles(password, { name: 'plain', password: secret }, ['password']);
      const login = { username: 'plain', password: secret };
      const target = { id: 'box', name: 'box', host: debian.host, port: debian.port, login };
      const signedIn = as(debian, 'plain', undefined, {
        open: async () => ({ target, gateways: [], become: { method: 'none' } }),
      });
      expect(await once(signedIn, ping, undefined)).toMatchObject({ state: 'done' });
    }
    expect(code(await once(root(), password, { name: 'stranger', password: 'x' }))).toBe(
      'remote_no_account',
    );
    expect(code(await once(as(busybox, 'root'), password, { name: 'plain', password: 'x' }))).toBe(
      'remote_tool',
    );
    await debian.inside(`printf 'plain:%s\\n' '${debian.passwords.plain}' | chpasswd`);
  });

  it('runs commands and scripts, and returns output, errors and status', async () => {
    const ran = await once(as(debian, 'plain'), command, {
      command: 'echo "it\'s $((1+1))"; echo ärger >&2; cat; exit 3',
    });
    expect(ran).toMatchObject({
      state: 'done',
      result: { output: "it's 2\n", errors: 'ärger\n', status: 3, isCut: false },
    });
    expect(await once(as(busybox, 'plain'), command, { command: 'id -un' })).toMatchObject({
      result: { output: 'plain\n', status: 0 },
    });
    expect(
      await once(as(debian, 'plain'), command, { command: 'touch ~/made' }, { check: true }),
    ).toMatchObject({ state: 'done' });
    expect(await debian.inside('ls /home/plain')).toBe('');
    const text = '#!/usr/bin/perl\nprint "from perl\\n";\n';
    expect(await once(as(debian, 'plain'), script, { script: text })).toMatchObject({
      result: { output: 'from perl\n', status: 0 },
    });
    expect(
      await once(as(busybox, 'plain'), script, { script: 'for x in a b; do echo "$x"; done\r\n' }),
    ).toMatchObject({
      result: { output: 'a\nb\n', status: 0 },
    });
    const much = await once(as(debian, 'plain'), command, {
      command: 'head -c 3000000 /dev/zero | tr "\\0" x',
    });
    expect(much).toMatchObject({ state: 'done', result: { isCut: true, status: 0 } });
    const chinese = as(debian, 'plain', undefined, { charset: 'gbk' });
    expect(await once(chinese, command, { command: "printf '中文' | od -An -tx1" })).toMatchObject({
      result: { output: ' d6 d0 ce c4\n' },
    });
    expect(await once(chinese, command, { command: "printf '中文'" })).toMatchObject({
      result: { output: '中文' },
    });
  });

  it('gathers accounts with a login shell', async () => {
    const report = await once(root(), gatherUsers, undefined);
    const users = report.state === 'done' ? report.result.map(({ username }) => username) : [];
    expect(users).toEqual(expect.arrayContaining(['root', 'admin', 'deputy', 'plain']));
    expect(users).not.toContain('nobody');
    expect(await once(as(busybox, 'plain'), gatherUsers, undefined)).toMatchObject({
      state: 'done',
    });
  });
});

describe('bad input', () => {
  const bad = [
    "a'b",
    'a"b',
    'a\nb',
    'a;id',
    'a$(id)',
    '`id`',
    '-rf',
    'root ',
    '',
    '../x',
    'x'.repeat(300),
    'a\u0000b',
  ];

  it('rejects bad input with its field before contacting a host', async () => {
    const closed = as(debian, 'root', undefined, {
      open: () => Promise.reject(new Error('contacted')),
    });
    for (const name of bad) {
      await expect(once(closed, user, { name })).rejects.toMatchObject({
        problems: { name: [expect.anything()] },
      });
      await expect(once(closed, group, { name })).rejects.toMatchObject({
        problems: { name: [expect.anything()] },
      });
      await expect(once(closed, password, { name, password: 'x' })).rejects.toMatchObject({
        problems: { name: [expect.anything()] },
      });
      await expect(once(closed, sudoRule, { name, commands: '/bin/sh' })).rejects.toMatchObject({
        problems: { name: [expect.anything()] },
      });
      await expect(
        once(closed, user, { name: 'good', shell: `/bin/${name};` }),
      ).rejects.toMatchObject({ problems: { shell: [expect.anything()] } });
      await expect(
        once(closed, authorizedKey, { name: 'good', key: `ssh-ed25519 ${name};`, mode: 'add' }),
      ).rejects.toMatchObject({
        problems: { key: [expect.anything()] },
      });
    }
    // Such names exist on Windows only: the host is refused without being contacted.
    expect(code(await once(closed, user, { name: 'ä' }))).toBe('remote_bad_name');
    expect(code(await once(closed, password, { name: 'Administrator', password: 'x' }))).toBe(
      'remote_bad_name',
    );
    for (const secret of ['a\nb', 'a\u0000b', '', 'x'.repeat(600)])
      await expect(
        once(closed, password, { name: 'good', password: secret }),
      ).rejects.toMatchObject({ problems: { password: [expect.anything()] } });
    await expect(
      once(closed, sudoRule, { name: 'good', commands: '/bin/sh \\' }),
    ).rejects.toMatchObject({ problems: { commands: [expect.anything()] } });
  });
});

describe('an interrupted run', () => {
  it('completes an interrupted run in the next one', async () => {
    // The power fails at varying times of the work; the next run completes it.
    for (let round = 0; round < 8; round++) {
      const name = `cut${round}`;
      const work = once(root(), user, { name, shell: '/bin/sh' });
      if (round > 0) await once(root(), ping, undefined);
      await debian.cut();
      await work;
      expect(await once(root(), user, { name, shell: '/bin/sh' })).toMatchObject({ state: 'done' });
      expect(changed(await once(root(), user, { name, shell: '/bin/sh' }))).toEqual([]);
    }
    const rule = once(root(), sudoRule, { name: 'cut0', commands: '/bin/sh' });
    await debian.cut();
    await rule;
    expect(await once(root(), sudoRule, { name: 'cut0', commands: '/bin/sh' })).toMatchObject({
      state: 'done',
    });
    expect(await debian.inside('ls -A /etc/sudoers.d')).toBe('sallyport-cut0\n');
  });

  it("ends a user's command when the run is canceled, and reports waiting hosts as canceled", async () => {
    const cancel = new AbortController();
    const reports: HostReport<unknown>[] = [];
    await runOnHosts(PORTS, {
      module: command,
      input: { command: 'echo begun; sleep 86399; echo over' },
      hosts: [as(debian, 'plain'), as(debian, 'admin')],
      parallel: 1,
      signal: cancel.signal,
      onOutput: () => cancel.abort(),
      onReport: (report) => {
        reports.push(report);
      },
    });
    expect(reports.map(code)).toEqual(['remote_canceled', 'remote_canceled']);
    await expect.poll(() => debian.inside('grep -alx "sleep" /proc/[0-9]*/comm || :')).toBe('');
  });

  it("ends a host's work after its timeout", async () => {
    const report = await once(
      as(debian, 'plain'),
      command,
      { command: 'sleep 86399' },
      { secondsPerHost: 5 },
    );
    expect(report).toMatchObject({
      state: 'failed',
      problem: { code: 'remote_timeout', params: { seconds: 5 } },
      reached: true,
    });
  });
});
