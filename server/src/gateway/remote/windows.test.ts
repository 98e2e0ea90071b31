import { afterEach, describe, expect, it } from 'vitest';
import { changed, code, once, PORTS } from '../../testing/hosts/remote-run.ts';
import {
  DIGESTS,
  type Play,
  startWindows,
  type WindowsLine,
  type WindowsTranscript,
} from '../../testing/hosts/windows-transcript.ts';
import { startHostileServer } from '../../testing/ssh/hostile-ssh.ts';
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
import { readableErrors } from './windows/run-on-windows.ts';
import { wordRemoteProblem } from './words.ts';

// Runs against a transcript written from Microsoft's documentation, see windows-transcript.ts. Not
// tested on Windows.

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

/** Starts a host that prints the same lines in every run, and runs a module there. */
async function runWithLines<Input, Result>(
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

/** Plays a host that reports changes in its first run only. */
function settling(what: readonly string[]): Play {
  let isDone = false;
  return function* ({ isCheck }) {
    if (!isDone) for (const each of what) yield `changed ${each}`;
    if (!isCheck) isDone = true;
    yield 'done';
  };
}

/** Does a dry run, a run, another run and another dry run; all send the same values. */
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

describe('messages to Windows', () => {
  it('sends one constant command, and all else on standard input', async () => {
    await settles(password, { name: 'deploy', password: SECRET }, ['password'], ['deploy', SECRET]);
    const [sent = ''] = windows.commands;
    // The limit of cmd.exe, the default shell of OpenSSH for Windows.
    expect(sent.length).toBeLessThan(8191);
    expect(sent).toMatch(/^powershell\.exe [-A-Za-z ]+ -EncodedCommand [A-Za-z0-9+/]+=*$/);
    const boot = Buffer.from(String(sent.split(' ').at(-1)), 'base64').toString('utf16le');
    expect(boot).toContain('[ScriptBlock]::Create(');
    for (const all of [boot, sent]) expect(all).not.toContain('deploy');
    // The input has only characters that no code page alters, and the secret is encoded.
    expect(windows.input()).toMatch(/^[A-Za-z0-9+/=#\n]+$/);
  });

  it('sends the scripts that the transcript was written for', () => {
    // After changing a script, compare it with the documentation and with the answers of the
    // transcript.
    expect(DIGESTS).toEqual({
      ping: '9cc17f2bd07f1e98',
      facts: 'db02e306d60237d5',
      'gather-users': '5d8d5dc5566d9ea7',
      group: '7c47a72357930413',
      user: '4d15323061b743ab',
      password: 'ef84ff9b9f574a7b',
      'change-password': '8d0802d0a3b238d5',
      'authorized-key': '85b7bfbe2eae4ead',
      'change-key': '7c9061d4ed0dd9e6',
      program: '2a051f1791420652',
    });
  });

  it('sends neither invalid values nor work that Windows does not support', async () => {
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
        // A name that is invalid on every platform fails the whole run, other names fail the host.
        // Neither contacts it.
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
        'Windows has no sudo rules. Groups define the permissions of an account.',
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
  it('changes groups, accounts, passwords and keys, and repeats no change', async () => {
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
    // The script rejects a shell or a home folder with the reason.
    await runWithLines(['refused remote_windows_shell'], user, {
      name: 'deploy',
      shell: '/bin/bash',
      home: '/home/x',
    });
    expect(windows.runs[0]?.values).toEqual(['deploy', 'yes', 'yes', '', '']);
  });

  it('reports why work on Windows failed', async () => {
    const refusals = [
      [['refused remote_administrator'], 'This requires administrator permissions on the server.'],
      [
        ['refused remote_domain_controller'],
        'The server is a domain controller and has no local accounts.',
      ],
      [['failed remote_no_account Deploy'], 'The server has no account Deploy.'],
      [['refused remote_root_account Admin'], 'Admin is a root account and is not changed.'],
      [
        ['refused remote_tool PowerShell 5.1'],
        'The program PowerShell 5.1 is missing on the server.',
      ],
      [
        ['failed remote_failed group Crew of 部署'],
        'The step "group Crew of 部署" failed on the server.',
      ],
    ] as const;
    for (const [lines, text] of refusals) {
      const report = await runWithLines(lines, user, { name: 'deploy' });
      expect(report.state === 'failed' && wordRemoteProblem(report.problem, 'en')).toBe(text);
    }
    // The message of an exception is kept for users, up to a limit.
    const thrown = await runWithLines(
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
    // A host may report only known codes.
    expect(code(await runWithLines(['refused hacked'], ping, undefined))).toBe('remote_output');
    expect(code(await runWithLines(['changed user'], ping, undefined))).toBe('remote_interrupted');
  });

  it('returns hardware facts from CIM', async () => {
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
    const report = await runWithLines(
      [...lines.map((line) => `fact ${line}`), 'done'],
      facts,
      undefined,
    );
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

  it('lists the accounts of a Windows host', async () => {
    const report = await runWithLines(
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

  it('runs commands and scripts, and streams their output', async () => {
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

  it('undoes a new password and a new key unless they are kept', async () => {
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

describe('interrupted and misbehaving Windows hosts', () => {
  it('reports an interrupted host, and completes the next run', async () => {
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

  it('ends the programs of a canceled run by closing their input', async () => {
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

  it('limits lines, reports and output', async () => {
    expect(code(await runWithLines([{ raw: 'x'.repeat(70_000) }, 'done'], ping, undefined))).toBe(
      'remote_output',
    );
    expect(
      code(
        await runWithLines(
          [...Array.from({ length: 300 }, () => `fact user ${'x'.repeat(1000)}`), 'done'],
          gatherUsers,
          undefined,
        ),
      ),
    ).toBe('remote_output');
    const pieces = Array.from({ length: 40 }, () => ({ output: 'x'.repeat(8192) }));
    expect(
      await runWithLines([...pieces, 'status 0', 'done'], command, { command: 'x' }),
    ).toMatchObject({
      state: 'done',
      result: { isCut: true, status: 0 },
    });
    expect(
      await runWithLines([{ stderr: 'y'.repeat(400_000) }, 'done'], ping, undefined),
    ).toMatchObject({
      state: 'done',
    });
  });

  it('reports what prevents PowerShell from running', async () => {
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

  it('extracts the text of errors that are serialized objects', () => {
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
    // The text is cut in the middle.
    expect(readableErrors('#< CLIXML\r\n<Objs><S S="Error">half')).toBe('half');
    // Many openings without an end must not take quadratic time.
    expect(
      readableErrors(`#< CLIXML${'<Objs'.repeat(50_000)}${'<S S="Error">'.repeat(20_000)}`),
    ).toContain('S="Error"');
  });
});
