import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordingFiles } from '../../platform/storage/testing/recording-files.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import { Client, type Json } from '../../testing/client.ts';
import { useCommands } from '../../testing/command.ts';
import { runOperatorCommand } from '../../testing/operator-command.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';
import { ADMIN_PASSWORD } from '../../testing/test-program.ts';

let world: SshWorld;
let parent: string;
const { folder, start } = useCommands();
beforeAll(async () => {
  world = await startSshWorld();
  parent = await mkdtemp(join(tmpdir(), 'sallyport-backup-'));
  await chmod(parent, 0o700);
  await changeSettings([await bearer(world.test)], 'security', {
    SECURITY_ENCRYPT_RECORDINGS: true,
  });
});
afterAll(async () => {
  await world.stop();
  await rm(parent, { recursive: true, force: true });
});

it('copies encrypted recordings as they are, and a restored server replays and verifies them', async () => {
  const { login, member, test } = world;
  await world.ssh.run({
    login,
    password: member.password,
    options: ['-tt'],
    input: 'echo "kept $((40+2))"\nexit\n',
  });
  await until(
    async () => (await world.lastSession()).replay_state === 'finished',
    'the first session is ended',
  );
  const ended = String((await world.lastSession()).id);
  const web = (await bearer(test, member)).inOrganization(world.organization);
  const terminal = await TerminalClient.connect(
    test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset: world.asset, system_user: world.systemUser },
    web.headers,
  );
  const { session: running } = await terminal.message('open');
  terminal.type('seq 20000; echo "still $((50+5))"\r');
  await terminal.waitFor('still 55');
  const { date_start: startedAt } = await world.lastSession();
  const file = recordingFiles(join(test.dataDirectory, 'recordings'), {
    id: running,
    startedAt: startedAt as Date,
  }).running;
  await until(async () => (await readFile(file)).length > 100_000, 'the output is on the disk');

  const [backup, keys] = [join(parent, 'backup'), join(parent, 'keys.json')];
  expect(
    await runOperatorCommand(test, ['backup', backup, '--recordings', `--keys=${keys}`]),
  ).toMatchObject({ code: 0, stdout: expect.stringContaining('recordings: 2 copied') });
  await terminal.close();
  const copies = await readdir(join(backup, 'recordings'), { recursive: true });
  const contents = await Promise.all(
    copies
      .filter((name) => name.includes('.cast'))
      .map((name) => readFile(join(backup, 'recordings', name))),
  );
  expect(contents.map((bytes) => bytes.subarray(0, 7).toString())).toEqual(['SPSEAL1', 'SPSEAL1']);

  const here = { SALLYPORT_DATABASE_URL: '', SALLYPORT_DATA_DIR: folder() };
  expect(await runOperatorCommand(test, ['restore', backup, `--keys=${keys}`], here)).toMatchObject(
    { code: 0 },
  );
  const visitor = new Client(await start().ready());
  const { body } = await visitor.post<{ token: string }>('authentication/auth/', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  });
  const admin = visitor
    .with({ authorization: `Bearer ${body.token}` })
    .inOrganization(world.organization);
  const replay = async (id: string) =>
    (await admin.get<Json>(`terminal/sessions/${id}/replay/download/`)).text;
  expect(await replay(ended)).toContain('kept 42');
  expect(await replay(running)).toContain('still 55');
  expect(await runOperatorCommand(test, ['audit', 'verify'], here)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('sessions and recordings: as they were when they ended'),
  });
});
