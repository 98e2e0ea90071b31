import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type BuiltUser,
  buildAsset,
  buildPermission,
  buildSystemUser,
  buildUser,
} from '../server/src/testing/builders.ts';
import { notePeers } from '../server/src/testing/peers.ts';
import { ADMIN, bearer } from '../server/src/testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../server/src/testing/test-program.ts';

/** Public clients of versions 3 and 4 of the established API, with `/v4` as their base address. */

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, 'python');
const CACHE = join(import.meta.dirname, '../node_modules/.cache/python');

let test: TestProgram;
let person: BuiltUser;
beforeAll(async () => {
  test = await startTestProgram();
  person = await buildUser(test.db);
  const asset = await buildAsset(test.db, { hostname: 'sdk-host' });
  await buildPermission(test.db, {
    users: [person.id],
    assets: [asset],
    systemUsers: [await buildSystemUser(test.db)],
  });
});
afterAll(() => test.stop());

/** Installs a package into an own folder, once. Returns the folder. */
async function install(name: string, version: string): Promise<string> {
  notePeers(`${name} ${version}`);
  const folder = join(CACHE, `${name}-${version}`);
  if (!existsSync(folder))
    await run('python3', [
      ...['-m', 'pip', 'install', '--quiet', '--root-user-action=ignore'],
      ...['--target', folder, `${name}==${version}`],
    ]);
  return folder;
}

it.each([
  ['jumpserver-sdk', '0.8.1', '3.10'],
  ['jumpserver-sdk', '0.8.1', '4.10'],
  ['jumpserver-sdk-python', '0.9.1', ''],
  ['jumpserver-sdk-python', '0.9.1', '4.10'],
])('serves the lists of %s %s for version "%s"', async (name, release, version) => {
  const admin = await bearer(test);
  const { body: key } = await admin.post<{ id: string; secret: string }>(
    'authentication/access-keys/',
    { password: ADMIN.password },
  );
  const { stdout } = await run('python3', ['-W', 'ignore', 'sdk_reads.py'], {
    cwd: FOLDER,
    env: {
      ...process.env,
      PYTHONPATH: await install(name, release),
      TEST_URL: new URL('/v4', test.visitor.url).href,
      TEST_USER: ADMIN.username,
      TEST_PASSWORD: ADMIN.password,
      TEST_KEY: key.id,
      TEST_SECRET: key.secret,
      TEST_VERSION: version,
    },
  });
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers).toHaveLength(2);
  for (const answer of answers)
    expect(answer).toMatchObject({
      host: ['sdk-host', '127.0.0.1', 'linux', 'Linux'],
      account: ['root', 'password', 'sdk-host'],
      refused: false,
    });
});

it('lists the granted assets with jms-cli 0.2.0, and refuses its connection with a reason', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-jms-'));
  try {
    const config = join(folder, 'config.yaml');
    const server = {
      host: new URL('/v4', test.visitor.url).href,
      username: person.username,
      password: person.password,
    };
    await writeFile(
      config,
      JSON.stringify({ version: 1.0, default: 'here', servers: { here: server } }),
      {
        mode: 0o600,
      },
    );
    const env = { ...process.env, HOME: folder, PYTHONPATH: await install('jms-cli', '0.2.0') };
    const jms = (...words: string[]) =>
      run('python3', ['-m', 'jms.cli', ...words, '--config', config], { env });
    expect((await jms('ls')).stdout).toMatch(/sdk-host +127\.0\.0\.1 +Linux +Linux/);
    expect((await jms('ls', '-q', 'sdk')).stdout).toContain('Total: 1 asset(s)');
    await expect(jms('exec', 'sdk-host', 'id')).rejects.toThrow(/501/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
