import { afterEach, describe, expect, it } from 'vitest';
import { startHostileServer } from '../testing/hostile-ssh.ts';
import { changed, code, once, PORTS } from '../testing/remote-run.ts';
import {
  DIGESTS,
  type Play,
  startWindows,
  type WindowsLine,
  type WindowsTranscript,
} from '../testing/windows-transcript.ts';
import type { Become } from './escalation.ts';
import type { RemoteModule } from './module.ts';
import { authorizedKey } from './modules/authorized-key.ts';
import { changeKey } from './modules/change-key.ts';
import { changePassword } from './modules/change-password.ts';
import { command, script } from './modules/command.ts';
import { facts } from './modules/facts.ts';
import { gatherUsers } from './modules/gather-users.ts';
import { group } from './modules/group.ts';
import { password } from './modules/password.ts';
import { ping } from './modules/ping.ts';
import { sudoRule } from './modules/sudo-rule.ts';
import { user } from './modules/user.ts';
import { type HostReport, type RemoteHost, runOnHosts } from './run-on-hosts.ts';
import { readableErrors } from './windows/errors.ts';
import { wordRemoteProblem } from './words.ts';

// Against a transcript that was written after Microsoft's documentation: see windows-transcript.ts. Nothing here was tried on Windows.

let windows: WindowsTranscript;
afterEach(() => windows?.stop());

const SECRET = '密码 пароль 🔑 é \'"`$(id)%PATH%\\';
const KEY = `ssh-ed25519 ${Buffer.from('a-key-of-the-test-0123456789').toString('base64')} test`;

function as(become: Become = { method: 'none' }, changes: Partial<RemoteHost> = {}): RemoteHost {
  const target = {
    id: 'box',
    name: 'box',
    host: windows.host,
    port: windows.port,
    login: { username: 'Administrator', password: 'x' },
  };
  return {
    id: 'box',
    name: 'box',
    platform: 'Windows',
    charset: 'utf8',
    open: async () => ({ target, gateways: [], become }),
    ...changes,
  };
}

/** Starts a host that says the same lines in every run, and runs a module there. */
async function said<Input, Result>(
  lines: readonly WindowsLine[],
  module: RemoteModule<Input, Result>,
  input: Input,
): Promise<HostReport<Result>> {
  await windows?.stop();
  windows = await startWindows(function* () {
    yield* lines;
  });
  return once(as(), module, input);
}

/** Says what a state of its own says, so that a run and another run differ. */
function settling(what: readonly string[]): Play {
  let isDone = false;
  return function* ({ isCheck }) {
    if (!isDone) for (const each of what) yield `changed ${each}`;
    if (!isCheck) isDone = true;
    yield 'done';
  };
}

/** A dry run, a run, another run and another dry run; all with the same values on standard input. */
async function settles<Input>(
  module: RemoteModule<Input, unknown>,
  input: Input,
  expected: readonly string[],
  values: readonly string[],
): Promise<void> {
  await windows?.stop();
  windows = await startWindows(settling(expected));
  expect(changed(await once(as(), module, input, { check: true }))).toEqual(expected);
  expect(changed(await once(as(), module, input))).toEqual(expected);
  expect(changed(await once(as(), module, input))).toEqual([]);
  expect(changed(await once(as(), module, input, { check: true }))).toEqual([]);
  expect(windows.runs).toEqual(
    [true, false, false, true].map((isCheck) => ({ module: module.name, isCheck, values })),
  );
  expect(windows.commands.size).toBe(1);
}

describe('what is sent to Windows', () => {
  it('is one constant command, and everything else on standard input', async () => {
    await settles(password, { name: 'deploy', password: SECRET }, ['password'], ['deploy', SECRET]);
    const [sent = ''] = windows.commands;
    // The limit of cmd.exe, the default shell of OpenSSH for Windows.
    expect(sent.length).toBeLessThan(8191);
    expect(sent).toMatch(/^powershell\.exe [-A-Za-z ]+ -EncodedCommand [A-Za-z0-9+/]+=*$/);
    const boot = Buffer.from(String(sent.split(' ').at(-1)), 'base64').toString('utf16le');
    expect(boot).toContain('[ScriptBlock]::Create(');
    for (const all of [boot, sent]) expect(all).not.toContain('deploy');
    // In letters that no code page changes, and the secret only encoded.
    expect(windows.input()).toMatch(/^[A-Za-z0-9+/=#\n]+$/);
  });

  it('is the script that the transcript was written for', () => {
    // A change of a script needs another look at the documentation, and at the answers of the transcript.
    expect(DIGESTS).toEqual({
      ping: '040733dac73bf5bb',
      facts: 'e90bfbe10cb80070',
      'gather-users': '623c5d09c8732efe',
      group: 'fb46bf5b2b6dff0c',
      user: '73d1ca6810c840e6',
      password: '452444769f5870c8',
      'change-password': '5185eea5420fdd2e',
      'authorized-key': '9907f78422bc0866',
      'change-key': 'cadbd17df45530bc',
      program: 'b8d3e0137ef1b11a',
    });
  });

  it('never is a wrong value, and nothing that Windows does not have', async () => {
    windows = await startWindows(function* () {
      yield 'done';
    });
    const closed = as(undefined, { open: () => Promise.reject(new Error('contacted')) });
    for (const name of [
      "a'b",
      'a"b',
      'a\nb',
      'a;id',
      'a$(id)',
      '`id`',
      '-rf',
      'a b',
      '',
      '..\\x',
      'a/b',
      'x'.repeat(300),
      'a\u0000b',
      'a.',
    ]) {
      for (const [module, input] of [
        [user, { name }],
        [password, { name, password: 'x' }],
        [authorizedKey, { name, key: KEY, mode: 'add' }],
      ] as const) {
        const report = await once(closed, module as RemoteModule<unknown, unknown>, input).catch(
          (error: unknown) => error,
        );
        // Where no platform takes the name the whole run is refused, otherwise the host is; neither contacts it.
        expect(report).toMatchObject(
          report instanceof Error
            ? { problems: { name: [expect.anything()] } }
            : { problem: { code: 'remote_bad_name' } },
        );
      }
    }
    for (const secret of ['a\nb', 'a\u0000b', '', 'x'.repeat(600)])
      await expect(
        once(closed, password, { name: 'good', password: secret }),
      ).rejects.toMatchObject({ problems: { password: [expect.anything()] } });
    expect(code(await once(closed, password, { name: 'good', password: 'x'.repeat(128) }))).toBe(
      'remote_bad_secret',
    );
    const refused = await once(as(), sudoRule, { name: 'deploy', commands: '/bin/sh' });
    expect(code(refused)).toBe('remote_windows_sudo');
    if (refused.state === 'failed')
      expect(wordRemoteProblem(refused.problem, 'en')).toBe(
        'Windows has no sudo rules. What an account may do is a matter of its groups.',
      );
    expect(
      code(await once(as({ method: 'su', password: 'x' }), { ...ping, runsAs: 'root' }, undefined)),
    ).toBe('remote_windows_become');
    expect(code(await once(as({ method: 'sudo' }), { ...ping, runsAs: 'root' }, undefined))).toBe(
      'remote_windows_become',
    );
    expect(windows.runs).toEqual([]);
  });
});

describe('modules on Windows', () => {
  it('change groups, accounts, passwords and keys, and change nothing that is there', async () => {
    await settles(group, { name: 'Crew of 部署' }, ['group'], ['Crew of 部署']);
    const account = {
      name: 'Deploy',
      comment: "O'Neil: $(touch /tmp/x)",
      groups: ['S-1-5-32-545', 'Remote Desktop Users'],
    };
    const values = ['Deploy', '', '', account.comment, 'S-1-5-32-545\nRemote Desktop Users'];
    await settles(user, account, ['user', 'group:Users', 'group:Remote Desktop Users'], values);
    await settles(password, { name: 'Deploy', password: SECRET }, ['password'], ['Deploy', SECRET]);
    await settles(
      authorizedKey,
      { name: 'Deploy', key: KEY, mode: 'add' },
      ['key'],
      ['Deploy', KEY, 'add'],
    );
    // A shell and a home folder are refused by the script, with the reason.
    await said(['refused remote_windows_shell'], user, {
      name: 'deploy',
      shell: '/bin/bash',
      home: '/home/x',
    });
    expect(windows.runs[0]?.values).toEqual(['deploy', 'yes', 'yes', '', '']);
  });

  it('say why they do not', async () => {
    const refusals = [
      [
        ['refused remote_administrator'],
        'This needs the rights of an administrator of the server.',
      ],
      [
        ['refused remote_domain_controller'],
        'The server is a domain controller and has no accounts of its own.',
      ],
      [['failed remote_no_account Deploy'], 'The server has no account Deploy.'],
      [['refused remote_root_account Admin'], 'Admin is an account of root and is not changed.'],
      [['refused remote_tool PowerShell 5.1'], 'The server has no program PowerShell 5.1.'],
      [
        ['failed remote_failed group Crew of 部署'],
        'The step "group Crew of 部署" failed at the server.',
      ],
    ] as const;
    for (const [lines, text] of refusals) {
      const report = await said(lines, user, { name: 'deploy' });
      expect(report.state === 'failed' && wordRemoteProblem(report.problem, 'en')).toBe(text);
    }
    // What a cmdlet threw is kept for people, bounded.
    const thrown = await said(
      [
        `error The password does not meet the password policy requirements.\r\n${'x'.repeat(5000)}`,
        'failed remote_failed password',
      ],
      password,
      { name: 'deploy', password: 'x' },
    );
    expect(thrown).toMatchObject({
      problem: { code: 'remote_failed', params: { step: 'password' } },
      detail: expect.stringContaining('policy requirements'),
    });
    expect(thrown.state === 'failed' && thrown.detail?.length).toBe(1000);
    // A host can name no reason that is not ours.
    expect(code(await said(['refused hacked'], ping, undefined))).toBe('remote_output');
    expect(code(await said(['changed user'], ping, undefined))).toBe('remote_interrupted');
  });

  it('read the hardware through CIM', async () => {
    const lines = [
      'sys_vendor VMware, Inc.',
      'product_name VMware7,1',
      'product_serial VMware-56 4d 12',
      'model_name Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz',
      'cores 4',
      ...[1, 2].map((at) => `socket ${at}`),
      ...Array.from({ length: 8 }, (_, at) => `processor ${at + 1}`),
      'memory 16776756',
      'disk 0 209715200 PhysicalDrive0',
      'disk 1 30000000 PhysicalDrive1',
      'os Microsoft Windows Server 2022 标准版',
      'os_version 10.0.20348',
      'arch AMD64',
      'hostname WIN-部署',
    ];
    const report = await said([...lines.map((line) => `fact ${line}`), 'done'], facts, undefined);
    expect(report).toMatchObject({
      state: 'done',
      result: {
        vendor: 'VMware, Inc.',
        model: 'VMware7,1',
        sn: 'VMware-56 4d 12',
        cpu_model: 'Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz',
        cpu_count: 2,
        cpu_cores: 4,
        cpu_vcpus: 8,
        memory: '17.2 G',
        disk_info: '{"PhysicalDrive0":"107.4 G"}',
        os: 'Microsoft Windows Server 2022 标准版',
        os_version: '10.0.20348',
        os_arch: 'AMD64',
        hostname_raw: 'WIN-部署',
      },
    });
  });

  it('list the accounts', async () => {
    const report = await said(
      [
        'fact user 500\t2026-11-21T08:01:02Z\tAdministrator\tC:\\Users\\Administrator',
        'fact user 1001\t\tJohn 王\t',
        'done',
      ],
      gatherUsers,
      undefined,
    );
    expect(report).toMatchObject({
      result: [
        {
          username: 'Administrator',
          uid: 500,
          home: 'C:\\Users\\Administrator',
          lastLogin: { date: new Date('2026-11-21T08:01:02Z'), from: '' },
        },
        { username: 'John 王', uid: 1001, home: '', shell: '' },
      ],
    });
  });

  it('run commands and scripts, whose output comes as it is printed', async () => {
    const word = Buffer.from('部署');
    const heard: [string, boolean][] = [];
    windows = await startWindows(function* () {
      yield { output: word.subarray(0, 4) };
      yield {
        output: Buffer.concat([word.subarray(4), Buffer.from('\r\n')]),
        raw: 'a line of a program that writes to the console\r\n',
      };
      yield { errors: 'wrong\r\n' };
      yield 'status 3';
      yield 'done';
    });
    const reports: HostReport<unknown>[] = [];
    const text = 'Get-Date\r\n& cmd /c "exit 3" # $(id)';
    for (const module of [command, script]) {
      await runOnHosts(PORTS, {
        module: module as RemoteModule<
          { readonly command: string; readonly script: string },
          unknown
        >,
        input: { command: text, script: text },
        hosts: [as()],
        signal: new AbortController().signal,
        onOutput: (_, piece, isError) => heard.push([piece, isError]),
        onReport: (report) => void reports.push(report),
      });
    }
    const result = { output: '部署\r\n', errors: 'wrong\r\n', status: 3, isCut: false };
    expect(reports).toMatchObject([
      { state: 'done', result },
      { state: 'done', result },
    ]);
    const once = [
      ['部', false],
      ['署\r\n', false],
      ['wrong\r\n', true],
    ];
    expect(heard).toEqual([...once, ...once]);
    expect(windows.runs).toEqual(
      [text, text].map((value) => ({ module: 'program', isCheck: false, values: [value] })),
    );
  });

  it('take a new password and a new key back, unless they are kept', async () => {
    const answers: string[] = [];
    windows = await startWindows(function* ({ module, isCheck }) {
      yield module === 'change-key' ? 'changed key' : 'changed password';
      if (!isCheck) {
        const answer = yield 'asks';
        answers.push(answer);
        if (answer !== 'keep') yield 'fact undone';
      }
      yield 'done';
    });
    for (const isKept of [true, false]) {
      for (const [module, input] of [
        [changePassword, { name: 'deploy', password: SECRET, old: 'before' }],
        [changeKey, { name: 'deploy', key: KEY, old: '' }],
      ] as const) {
        const reports: HostReport<unknown>[] = [];
        await runOnHosts(PORTS, {
          module: module as RemoteModule<unknown, unknown>,
          input,
          hosts: [as()],
          signal: new AbortController().signal,
          decide: async () => isKept,
          onReport: (report) => void reports.push(report),
        });
        expect(reports).toMatchObject([{ state: 'done', result: { isUndone: !isKept } }]);
      }
    }
    expect(answers).toEqual(['keep', 'keep', 'undo', 'undo']);
    expect(windows.runs[0]?.values).toEqual(['deploy', SECRET, 'before']);
  });
});

describe('a Windows host that is interrupted or answers badly', () => {
  it('is reported, and the next run is whole', async () => {
    const cases: readonly [RemoteModule<unknown, unknown>, unknown][] = (
      [
        [ping, undefined],
        [facts, undefined],
        [gatherUsers, undefined],
        [group, { name: 'Crew' }],
        [user, { name: 'deploy' }],
        [password, { name: 'deploy', password: 'x' }],
        [authorizedKey, { name: 'deploy', key: KEY, mode: 'add' }],
        [changePassword, { name: 'deploy', password: 'x' }],
        [changeKey, { name: 'deploy', key: KEY, old: '' }],
        [command, { command: 'x' }],
        [script, { script: 'x' }],
      ] as const
    ).map(([module, input]) => [module as RemoteModule<unknown, unknown>, input]);
    let isCut = true;
    windows = await startWindows(function* () {
      yield 'changed something';
      if (isCut) yield 'cut';
      yield 'done';
    });
    for (const [module, input] of cases) {
      isCut = true;
      expect(['remote_interrupted', 'connect_target_lost'], module.name).toContain(
        code(await once(as(), module, input)),
      );
      isCut = false;
      expect(await once(as(), module, input), module.name).toMatchObject({ state: 'done' });
    }
  });

  it('loses its programs when the run is canceled, because its input ends', async () => {
    windows = await startWindows(function* () {
      yield { output: 'begun' };
      yield 'wait';
    });
    const cancel = new AbortController();
    const reports: HostReport<unknown>[] = [];
    await runOnHosts(PORTS, {
      module: command,
      input: { command: 'Start-Sleep 86399' },
      hosts: [as()],
      signal: cancel.signal,
      onOutput: () => cancel.abort(),
      onReport: (report) => void reports.push(report),
    });
    expect(reports.map(code)).toEqual(['remote_canceled']);
    await expect.poll(() => windows.ended()).toBe(1);
  });

  it('cannot fill the memory: lines, reports and output are bounded', async () => {
    expect(code(await said([{ raw: 'x'.repeat(70_000) }, 'done'], ping, undefined))).toBe(
      'remote_output',
    );
    expect(
      code(
        await said(
          [...Array.from({ length: 300 }, () => `fact user ${'x'.repeat(1000)}`), 'done'],
          gatherUsers,
          undefined,
        ),
      ),
    ).toBe('remote_output');
    const pieces = Array.from({ length: 40 }, () => ({ output: 'x'.repeat(8192) }));
    expect(await said([...pieces, 'status 0', 'done'], command, { command: 'x' })).toMatchObject({
      state: 'done',
      result: { isCut: true, status: 0 },
    });
    expect(await said([{ stderr: 'y'.repeat(400_000) }, 'done'], ping, undefined)).toMatchObject({
      state: 'done',
    });
  });

  it('says what keeps PowerShell from running', async () => {
    const answers = async (write: string, stderr: string, status: number) => {
      const server = await startHostileServer(
        () => undefined,
        (_, channel) => {
          channel.write(write);
          channel.stderr.write(stderr);
          channel.exit(status);
          channel.end();
        },
      );
      try {
        const target = {
          id: 'box',
          name: 'box',
          host: server.host,
          port: server.port,
          login: { username: 'x', password: 'x' },
        };
        return await once(
          as(undefined, {
            open: async () => ({ target, gateways: [], become: { method: 'none' } }),
          }),
          ping,
          undefined,
        );
      } finally {
        await server.stop();
      }
    };
    const missing =
      "'powershell.exe' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n";
    expect(await answers('', missing, 1)).toMatchObject({
      problem: { code: 'remote_account' },
      detail: expect.stringContaining('is not recognized'),
    });
    expect(code(await answers('sallyport:limited\r\n', '', 0))).toBe('remote_windows_limited');
    expect(code(await answers('sallyport:ready\r\n', '', 97))).toBe('remote_interrupted');
  });

  it('writes errors as objects, of which people see the text', () => {
    const objects = (...records: string[]) =>
      `#< CLIXML\r\n<Objs Version="1.1.0.1" xmlns="http://schemas.microsoft.com/powershell/2004/04">${records.join('')}</Objs>`;
    const progress =
      '<Obj S="progress" RefId="0"><TN RefId="0"><T>System.Object</T></TN><MS><I64 N="SourceId">1</I64></MS></Obj>';
    expect(readableErrors(objects(progress))).toBe('');
    expect(
      readableErrors(
        `before\n${objects(progress, '<S S="Error">A &lt;b&gt; &amp;lt; 王_x000D__x000A_</S>', '<S S="Error">at line 1</S>')}after`,
      ),
    ).toBe('before\nA <b> &lt; 王\r\nat line 1after');
    // Cut off in the middle.
    expect(readableErrors('#< CLIXML\r\n<Objs><S S="Error">half')).toBe('half');
    // Many beginnings without an end are read once, or this takes minutes.
    expect(
      readableErrors(`#< CLIXML${'<Objs'.repeat(50_000)}${'<S S="Error">'.repeat(20_000)}`),
    ).toContain('S="Error"');
  });
});
