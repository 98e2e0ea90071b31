import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RELEASE_NAME } from './platform/release.ts';
import { executeOperatorCommandIn, runOperatorCommandIn } from './testing/operator-command.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'sallyport-cli-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

/** Runs a command on a data folder without a server. */
const command = (...words: readonly string[]) => runOperatorCommandIn(join(parent, 'data'), words);

async function pretendDatabase(folder: string): Promise<void> {
  await mkdir(join(folder, 'postgres'), { recursive: true });
  await writeFile(join(folder, 'postgres/PG_VERSION'), '18\n');
}

it('creates no database, and names the folder that has one', async () => {
  const license = [
    'license',
    'issue',
    'corporation=Example',
    'expired=2099-01-01',
    'asset_count=0',
  ];
  const there = join(parent, 'data');
  const { code, stdout, stderr } = await executeOperatorCommandIn(there, license);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    `There is no database in ${there}, and a command does not make one. Name the folder of the server, for example SALLYPORT_DATA_DIR='/var/lib/sallyport'.\n`,
  );
  expect(await readdir(parent)).toEqual([]);

  await pretendDatabase(join(parent, 'data-demo'));
  expect((await command(...license)).stderr).toContain(
    `The one with sample data is in ${join(parent, 'data-demo')}: add --demo to the command.`,
  );
  expect(await readdir(parent)).toEqual(['data-demo']);

  await rm(join(parent, 'data-demo'), { recursive: true });
  await pretendDatabase(join(parent, 'data'));
  expect((await command(...license, '--demo')).stderr).toContain(
    `There is one in ${join(parent, 'data')}: leave --demo out.`,
  );
  expect(await readdir(parent)).toEqual(['data']);
});

it('prints version and commit of the program', async () => {
  const { code, stdout } = await executeOperatorCommandIn(join(parent, 'data'), ['--version']);
  expect([code, stdout]).toEqual([0, `Sallyport ${RELEASE_NAME}\n`]);
  expect(await readdir(parent)).toEqual([]);
});

it('prints the help of all commands, or of one, and succeeds', async () => {
  const { code, stdout, stderr } = await executeOperatorCommandIn(join(parent, 'data'), ['--help']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Usage: .* COMMAND\n/);
  expect(stdout).toContain('user reset-password NAME');
  for (const words of [['-h'], ['help'], ['help', 'something-else']])
    expect(await command(...words)).toEqual({ code: 0, stdout, stderr: '' });
  const key = await command('key', '--help');
  expect(key).toMatchObject({ code: 0, stderr: '' });
  for (const verb of ['status', 'forget', 'rotate']) expect(key.stdout).toContain(`key ${verb} `);
  expect(key.stdout).not.toContain('user ');
  const drill = await command('backup', 'drill', '--help');
  expect(drill.stdout).toContain('restores the newest backup into a scratch database');
  expect(drill.stdout).not.toContain('backup FOLDER  ');
  expect(await command('help', 'backup', 'drill')).toEqual(drill);
  expect((await command('backup', '/somewhere', '--help')).stdout).toContain('backup FOLDER  ');
  expect(await readdir(parent)).toEqual([]);
});

it('names the commands for an unknown one, with a status for it', async () => {
  const unknown = await command('user', 'become-root');
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toMatch(
    /^There is no command "user become-root"\. Commands: user reset-mfa, user reset-password\.\nUsage: .* COMMAND\n/,
  );
  for (const word of ['become-root', 'constructor'])
    expect(await command(word)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        `^There is no command "${word}"\\. Commands: apply, backup, backup drill, database move, `,
      ),
    });
  const none = await executeOperatorCommandIn(join(parent, 'data'), []);
  expect([none.code, none.stdout]).toEqual([2, '']);
  expect(none.stderr).toMatch(/^Name a command\. Commands: apply, /);
});

it('rejects an unknown flag with its name, the usage and a status for it', async () => {
  const unknown = await executeOperatorCommandIn(join(parent, 'data'), ['key', '--everything=1']);
  expect([unknown.code, unknown.stdout]).toEqual([2, '']);
  expect(unknown.stderr).toMatch(
    /^There is no flag --everything\.\nUsage: .* COMMAND\n.* --help describes .*\n$/,
  );
  for (const [words, problem] of [
    [['-x', 'doctor'], 'There is no flag -x.'],
    [['doctor', '--json=1'], "Option '--json' does not take an argument"],
    [['apply', '--file'], "Option '-f, --file <value>' argument missing"],
  ] as const)
    expect(await command(...words)).toEqual({
      code: 2,
      stdout: '',
      stderr: unknown.stderr.replace(/^.*/, () => problem),
    });
});
