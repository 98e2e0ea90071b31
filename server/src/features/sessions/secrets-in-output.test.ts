import { randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WATCH_SOCKET_PATH } from '@sallyport/contract';
import { runs } from '@sallyport/property-runs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FORMATS } from '../../platform/secrets/testing/corpus.ts';
import { Maker, randomFrom } from '../../platform/secrets/testing/maker.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Client } from '../../testing/client.ts';
import { runHousekeeping } from '../../testing/jobs.ts';
import { placesWith } from '../../testing/places-with.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { TerminalClient } from '../../testing/terminals/terminal-client.ts';

const PRINTED = [
  'OpenSSH key',
  'AWS access key',
  'GitHub token',
  'JWT',
  'bearer header',
  'URL password',
  'environment variable',
  'JSON value',
  'shadow hash',
  'Kubernetes secret',
  'WireGuard key',
  'one-time password seed',
] as const;

let world: SshWorld;
let admin: Client;
let auditor: Client;
let directory: string;
let web: Client;
beforeAll(async () => {
  world = await startSshWorld();
  admin = await bearer(world.test);
  auditor = admin.inOrganization(world.organization);
  web = (await bearer(world.test, world.member)).inOrganization(world.organization);
  directory = await mkdtemp(join(tmpdir(), 'sallyport-secrets-'));
  await changeSettings([admin], 'terminal', { TERMINAL_RECORDING_INDEX: 'plain' });
});
afterAll(async () => {
  await world.stop();
  await rm(directory, { recursive: true, force: true });
});

const set = (isOn: boolean, isEncrypted = false) =>
  changeSettings([admin], 'security', {
    SECURITY_MASK_SECRETS: isOn,
    SECURITY_ENCRYPT_RECORDINGS: isEncrypted,
  });

/** The parts of the secrets of one test that may appear nowhere. */
let parts: string[];
let file: string;
beforeEach(async () => {
  const m = new Maker(randomFrom(runs().seed));
  const samples = PRINTED.map((format) => FORMATS[format]?.(m) ?? { text: '', secret: '' });
  parts = samples
    .flatMap(({ secret }) => secret)
    .filter((secret) => secret.length >= 10)
    .flatMap((secret) => [secret.slice(0, 10), secret.slice(-10)]);
  file = join(directory, `secrets-${randomInt(2 ** 31)}`);
  await writeFile(file, `${samples.map(({ text }) => text.replaceAll('\r', '')).join('\n')}\n`);
});

const partsIn = (text: string) => parts.filter((part) => text.includes(part));

/** Connects a browser and a watcher, prints the file, and returns what both have seen. */
async function printInBrowser() {
  const base = world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, '');
  const request = { asset: world.asset, system_user: world.systemUser, cols: 120 };
  const terminal = await TerminalClient.connect(base, request, web.headers);
  const { session } = await terminal.message('open');
  const watcher = new TerminalClient(
    `${base}${WATCH_SOCKET_PATH}?session=${session}`,
    auditor.headers,
  );
  await watcher.message('resize');
  // A line that is typed ahead of the prompt may be logged without its output.
  await terminal.until('a prompt', () => terminal.output !== '' || undefined);
  terminal.type(`cat ${file}; echo "printed $((40+2))"\r`);
  await terminal.waitFor('printed 42');
  await watcher.waitFor('printed 42');
  const late = new TerminalClient(
    `${base}${WATCH_SOCKET_PATH}?session=${session}`,
    auditor.headers,
  );
  await late.waitFor('printed 42');
  const seen = { user: terminal.output, watcher: watcher.output, late: late.output };
  await terminal.close();
  await finished();
  return { session, ...seen };
}

const finished = () =>
  until(
    async () => (await world.lastSession()).replay_state === 'finished',
    'the recording is finished',
  );

const placesWithSecrets = () => placesWith(world.test, (text) => partsIn(text).length > 0);

const replay = async (session: string) =>
  (await auditor.get(`terminal/sessions/${session}/replay/download/`)).text;
const commands = async (session: string) =>
  (await auditor.get(`terminal/commands/?session=${session}`)).text;
async function searchHits(session: string): Promise<string[]> {
  await runHousekeeping(world.test, 'index-screens');
  const texts = await Promise.all(
    parts.map(async (part) => {
      const { text } = await auditor.get(`terminal/screen-search/?q=${encodeURIComponent(part)}`);
      return text.includes(session) ? part : '';
    }),
  );
  return texts.filter(Boolean);
}

describe('secrets in output', () => {
  it('shows secrets to the user, and masks them for watchers, in the recording, the log and the search', async () => {
    await set(true);
    const { session, user, watcher, late } = await printInBrowser();
    expect(partsIn(user).length).toBe(parts.length);
    expect([partsIn(watcher), partsIn(late)]).toEqual([[], []]);
    expect(watcher).toContain('**********');
    const recording = await replay(session);
    expect([recording.includes('printed 42'), partsIn(recording)]).toEqual([true, []]);
    await until(async () => (await commands(session)).includes('****'), 'the command is logged');
    expect(partsIn(await commands(session))).toEqual([]);
    expect(await searchHits(session)).toEqual([]);
    expect(await placesWithSecrets()).toEqual([]);
  });

  it('masks secrets in encrypted recordings of terminals and commands of ssh clients', async () => {
    await set(true, true);
    const call = { login: world.login, password: world.member.password };
    for (const way of [
      { options: ['-tt'], input: `cat ${file}\nexit\n` },
      { command: `cat ${file}` },
    ]) {
      const { stdout } = await world.ssh.run({ ...call, ...way });
      expect(partsIn(stdout.toString()).length).toBe(parts.length);
      await finished();
      const session = String((await world.lastSession()).id);
      const recording = await replay(session);
      expect([recording.includes('BEGIN OPENSSH'), partsIn(recording)]).toEqual([true, []]);
      await until(async () => (await commands(session)).includes(file), 'the command is logged');
      expect([partsIn(await commands(session)), await searchHits(session)]).toEqual([[], []]);
    }
    expect(await placesWithSecrets()).toEqual([]);
  });

  it('counts the masked secrets of a session by kind, for those who may read it', async () => {
    await set(true);
    const m = new Maker(randomFrom(runs().seed));
    const two = ['OpenSSH key', 'GitHub token'] as const;
    await writeFile(file, `${two.map((format) => FORMATS[format]?.(m).text).join('\n')}\n`);
    const call = { login: world.login, password: world.member.password };
    const counts = [];
    for (const command of [`cat ${file}`, 'echo nothing']) {
      await world.ssh.run({ ...call, command });
      await finished();
      const path = `terminal/sessions/${(await world.lastSession()).id}/`;
      counts.push((await auditor.get<{ masked_secrets: unknown }>(path)).body.masked_secrets);
      const refused = await web.get(path);
      expect([refused.status, refused.text.includes('masked_secrets')]).toEqual([403, false]);
    }
    expect(counts).toEqual([{ private_key: 1, token: 1 }, {}]);
  });

  it('masks secrets in typed commands, and lets rules see them', async () => {
    await set(true);
    const filter = await world.administrator.post('assets/cmd-filters/', {
      name: 'no live keys',
      system_users: [world.systemUser],
    });
    const path = `assets/cmd-filters/${filter.body.id}/`;
    await world.administrator.post(`${path}rules/`, {
      type: 'regex',
      content: 'LIVE_TOKEN=r[a-z]+-7',
      action: 0,
      priority: 50,
    });
    parts = [
      'mellon-Zk3y',
      'Tr0ub4dor',
      'aV9sKq2mX7',
      'reject-7',
      'Pa55-of-exec',
      'ghp_aaaaaaaaaa',
    ];
    const long = `echo ${'x'.repeat(4070)} ghp_${'a'.repeat(36)}`;
    const call = { login: world.login, password: world.member.password };
    const typed = [
      'mysql -uroot -pmellon-Zk3y shop',
      'export API_TOKEN=Tr0ub4dor',
      'true -H "Authorization: Bearer aV9sKq2mX7bN4cR8tY1w"',
    ];
    await world.ssh.run({ ...call, options: ['-tt'], input: `${typed.join('\n')}\nexit\n` });
    await finished();
    for (const command of ['true --password=Pa55-of-exec', long])
      await world.ssh.run({ ...call, command });
    const denied = await world.ssh.run({ ...call, command: 'true LIVE_TOKEN=reject-7' });
    expect(denied.code).not.toBe(0);
    const session = String((await world.lastSession()).id);
    await until(async () => (await commands(session)).includes('LIVE_TOKEN'), 'the log is written');
    expect(await commands(session)).toContain('true LIVE_TOKEN=********');
    await world.administrator.delete(path);
    expect(await placesWithSecrets()).toEqual([]);
  });

  it('keeps output unchanged when the setting is off', async () => {
    await set(false);
    const { session, watcher } = await printInBrowser();
    expect(partsIn(watcher).length).toBe(parts.length);
    expect(partsIn(await replay(session)).length).toBe(parts.length);
    expect((await searchHits(session)).length).toBeGreaterThan(0);
    expect((await placesWithSecrets()).length).toBeGreaterThan(0);
  });
});
