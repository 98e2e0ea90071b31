import { afterAll, beforeAll, expect, it } from 'vitest';
import { unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { MenuClient } from '../../testing/ssh/menu-client.ts';
import { type SshWorld, startSshWorld } from '../../testing/ssh/ssh-world.ts';
import { afterQuiet, TerminalClient } from '../../testing/terminals/terminal-client.ts';

/** The line editor of the shell reads. */
const PROMPT = '\x1b[?2004h';
const DENY = 0;
const CONFIRM = 3;
const WARN = 4;

let world: SshWorld;
let web: Client;
let rules: string;
beforeAll(async () => {
  world = await startSshWorld();
  web = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const { body } = await world.administrator.post<Json>('assets/cmd-filters/', {
    name: unique('filter'),
    system_users: [world.systemUser],
  });
  rules = `assets/cmd-filters/${body.id}/rules/`;
  await addRule({ content: 'careful', action: WARN, message: 'Customers notice this.' });
  await addRule({ content: 'dangerous', action: CONFIRM, message: 'This stops the service.' });
  await addRule({ content: 'reviewed', action: CONFIRM, word: 'second look' });
});
afterAll(() => world.stop());

async function addRule(values: Json): Promise<void> {
  const { status, body } = await world.administrator.post(rules, values);
  expect(status, JSON.stringify(body)).toBe(201);
}

const connect = () =>
  TerminalClient.connect(
    world.test.program.url.replace(/^http/, 'ws').replace(/\/$/, ''),
    { asset: world.asset, system_user: world.systemUser },
    web.headers,
  );

async function finished(): Promise<{ readonly id: string; readonly commands: Json[] }> {
  await until(
    async () => (await world.lastSession()).is_finished === true,
    'the session has ended',
  );
  const { id } = await world.lastSession();
  const { body } = await world.administrator.get<Json[]>(
    `terminal/commands/?session_id=${id}&order=sequence`,
  );
  return { id: String(id), commands: body };
}

it('asks in a web terminal: Enter again after a warning, the name of the asset for a confirmation', async () => {
  const client = await connect();
  await client.waitFor(PROMPT);
  client.type('echo care"ful"\r');
  await client.waitFor('Customers notice this.');
  await client.answer('\r');
  await client.waitFor('\rcareful\r\n');
  client.type('echo danger"ous"\r');
  await client.waitFor('This stops the service.');
  await client.waitFor(`Type ${world.hostname} and press Enter`);
  await client.answer(world.hostname);
  await client.waitFor(world.hostname);
  client.type('\r');
  await client.waitFor('\rdangerous\r\n');
  client.type('echo danger"ous"\r');
  await client.waitFor(`Type ${world.hostname} and press Enter`);
  await client.answer('other');
  await client.waitFor('other');
  client.type('\r');
  await client.waitFor('This stops the service.');
  await client.waitFor(PROMPT);
  client.type('exit\r');
  await client.message('closed');
  const { id, commands } = await finished();
  expect(commands).toMatchObject([
    {
      input: 'echo care"ful"',
      output: 'careful',
      verdict: 'acknowledged',
      verdict_display: 'Ran after a warning',
      is_denied: false,
    },
    { input: 'echo danger"ous"', verdict: 'confirmed', is_denied: false },
    { input: 'echo danger"ous"', verdict: 'declined', is_denied: false, risk_level: 0 },
    { input: 'exit', verdict: 'none' },
  ]);
  const { administrator } = world;
  const timeline = await administrator.get<{ entries: Json[] }>(
    `terminal/sessions/${id}/timeline/`,
  );
  expect(timeline.body.entries.map(({ verdict }) => verdict)).toEqual([
    'acknowledged',
    'confirmed',
    'declined',
    'none',
  ]);
  const only = await administrator.get<Json[]>(
    `terminal/commands/?session_id=${id}&verdict=declined`,
  );
  expect(only.body).toHaveLength(1);
  // A declined command is neither a denial nor a risk.
  expect(await world.lastSession()).toMatchObject({ commands_denied: 0, risk_level: 0 });
  const denied = await administrator.get<Json[]>(
    `terminal/commands/?session_id=${id}&is_denied=true`,
  );
  expect(denied.body).toEqual([]);
  const report = await administrator.get(`terminal/commands/report/?session_id=${id}`);
  expect(report.text).toContain('Declined<br><small>Declined by the user');
  expect(report.text).not.toMatch(/Denied<|class="dangerous"/);
  const file = await administrator.get(`terminal/commands/?session_id=${id}&format=csv`);
  expect(file.text).toContain('Ran after a confirmation');
});

it('asks in an SSH terminal for the word of the rule, and takes no paste of it', async () => {
  const client = new MenuClient(world.ssh, { ...world.member, username: world.login });
  await client.sees(PROMPT);
  client.type('echo review"ed"\rsecond look\r');
  await client.sees('Type second look');
  // The second piece of the paste arrives after the question.
  client.type('second look\r');
  client.type('\x03');
  await client.sees('asks for care');
  await client.sees(PROMPT);
  client.type('echo review"ed"\r');
  await client.sees('Type second look');
  await afterQuiet();
  client.type('second look');
  await client.sees('second look');
  client.type('\r');
  await client.sees('\rreviewed\r\n');
  client.type('exit\r');
  await client.ends();
  expect((await finished()).commands).toMatchObject([
    { input: 'echo review"ed"', verdict: 'declined', is_denied: false },
    { input: 'echo review"ed"', output: 'reviewed', verdict: 'confirmed' },
    { input: 'exit' },
  ]);
});

it('denies a command of an SSH client without a prompt, with the sentence of the rule', async () => {
  const { code, stderr } = await world.ssh.run({
    login: world.login,
    password: world.member.password,
    command: 'echo dangerous',
  });
  expect(code).not.toBe(0);
  expect(stderr).toContain('This stops the service. This command needs a confirmation.');
  expect((await finished()).commands).toMatchObject([
    { input: 'echo dangerous', verdict: 'unasked', is_denied: true },
  ]);
});

it('denies in a web and an SSH terminal with the message of the rule, and names the rule', async () => {
  const sentence = 'Ask the owner first. (The command filter "';
  const message = 'Ask the owner first.';
  await addRule({ content: 'forbidden', action: DENY, message, priority: 90 });
  const client = await connect();
  await client.waitFor(PROMPT);
  client.type('echo forbid"den"\r');
  await client.waitFor(sentence);
  await client.waitFor('does not allow this: forbidden)');
  await client.waitFor(PROMPT);
  client.type('exit\r');
  await client.message('closed');
  expect((await finished()).commands).toMatchObject([
    { input: 'echo forbid"den"', is_denied: true },
    { input: 'exit' },
  ]);
  const ssh = await world.ssh.run({
    login: world.login,
    password: world.member.password,
    command: 'echo forbidden',
  });
  expect(ssh.stderr).toContain(sentence);
  await finished();
});

it('asks at the prompt of an account in enforced mode', async () => {
  const path = `assets/system-users/${world.systemUser}/`;
  const enforced = { enforced: true, allowed_commands: 'echo *' };
  const { status, body } = await world.administrator.patch(path, enforced);
  expect(status, JSON.stringify(body)).toBe(200);
  const client = await connect();
  await client.waitFor('allowed> ');
  client.type('echo careful\r');
  await client.waitFor('Customers notice this.');
  await client.answer('\r');
  await client.waitFor('\ncareful\r\n');
  await client.waitFor('allowed> ');
  client.type('echo dangerous\r');
  await client.waitFor('Type ');
  await client.answer('\x03');
  await client.waitFor('This stops the service.');
  await client.waitFor('allowed> ');
  client.type('exit\r');
  await client.message('closed');
  expect((await finished()).commands).toMatchObject([
    { input: 'echo careful', verdict: 'acknowledged' },
    { input: 'echo dangerous', verdict: 'declined', is_denied: false },
    { input: 'exit' },
  ]);
  await world.administrator.patch(path, { enforced: false });
});

it('shows in a trial what a rule does, and keeps message and word in exports', async () => {
  const { administrator } = world;
  const filter = rules.split('/')[2];
  const tried = await administrator.post<{ is_allowed: boolean; rule: Json }>(
    `assets/cmd-filters/${filter}/try/`,
    { command: 'echo reviewed' },
  );
  expect(tried.body).toMatchObject({ is_allowed: true, rule: { action: CONFIRM } });
  const { text } = await administrator.get(`${rules}?format=csv`);
  expect(text).toContain('second look');
  expect(text).toContain('Confirm');
  const wrong = await administrator.post(rules, { content: 'x', action: 7, word: 'w'.repeat(65) });
  expect([wrong.status, Object.keys(wrong.body).toSorted()]).toEqual([400, ['action', 'word']]);
});

it('prefers at the same priority the stricter of two rules', async () => {
  await addRule({ content: 'careful order', action: 0 });
  await addRule({ content: 'careful warning', action: CONFIRM, word: 'w' });
  const filter = rules.split('/')[2];
  const actionOf = async (command: string) =>
    (
      await world.administrator.post<{ rule: { action: number } }>(
        `assets/cmd-filters/${filter}/try/`,
        { command },
      )
    ).body.rule.action;
  expect([await actionOf('careful order'), await actionOf('careful warning')]).toEqual([
    0,
    CONFIRM,
  ]);
});
