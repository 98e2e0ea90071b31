import { commandFilter, commandFilterRule, RISK, systemUser } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as filterWords } from '../../web/src/console/features/filters/words.ts';
import { words as terminalWords } from '../../web/src/console/features/terminal/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildGranted, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

journey('the key pair of a system user is created with it, and its page shows the public key', async (open, { admin }) => {
  const { fields } = systemUser;
  const name = unique('deploy');
  const visitor = await open({ language });
  const view = new ConsolePage(visitor);
  const box = view.main.getByRole('switch', { name: new RegExp(`^${RegExp.escape(view.say(fields.auto_generate_key.label))}`) });
  await signIn(visitor, ADMIN, '/ui/assets/system-users/create');
  await view.field(fields.name.label).fill(name);
  await view.field(fields.username.label).fill('deploy');
  await view.field(fields.private_key.label).waitFor();
  await box.click({ force: true });
  // What is created is not typed.
  await view.field(fields.private_key.label).waitFor({ state: 'detached' });
  expect(await view.field(fields.password.label).count()).toBe(0);
  await view.submit();
  await view.notified(common.createSuccess);
  await view.row(name).getByRole('link', { name, exact: true }).click();
  await view.heading.filter({ hasText: name }).waitFor();
  const { id } = (await admin.get<{ id: string }[]>(`assets/system-users/?name=${name}`)).body[0] ?? { id: '' };
  const { ssh_public_key: line } = (await admin.get<{ ssh_public_key: string }>(`assets/system-users/${id}/`)).body;
  expect(line).toMatch(/^ssh-ed25519 \S+ deploy$/);
  await view.main.getByText(line, { exact: true }).waitFor();
  // An existing account keeps its key: its form does not offer another one.
  await view.button(common.update).click();
  await view.field(fields.private_key.label).waitFor();
  expect(await box.count()).toBe(0);

  // In enforced mode it runs what is allowed; a line that cannot be allowed is named.
  visitor.watch.allow(/^400 PUT \/api\/v1\/assets\/system-users\//);
  expect(await view.field(fields.allowed_commands.label).count()).toBe(0);
  await view.main.getByRole('switch', { name: new RegExp(`^${view.say(fields.enforced.label)}`) }).click({ force: true });
  await view.field(fields.allowed_commands.label).fill('id\nls | sort');
  await view.submit();
  await view.main.getByText('ls | sort').last().waitFor();
  await view.field(fields.allowed_commands.label).fill('id\nls -l *');
  await view.submit();
  await view.notified(common.updateSuccess);
  expect((await admin.get<{ allowed_commands: string }>(`assets/system-users/${id}/`)).body).toMatchObject({ enforced: true, allowed_commands: 'id\nls -l *' });
});

const DENIED = { zh: '命令过滤器“{name}”禁止执行：forbidden', en: 'The command filter "{name}" does not allow this: forbidden' } as const;

journey(
  'a command filter is created with a rule that is tried out; the terminal refuses the command, and the lists show the risk',
  async (open, { admin, sshd }) => {
    const { person, asset, account } = await buildGranted(admin, sshd);
    const name = unique('filter');
    const visitor = await open({ language });
    visitor.watch.allow(/^400 POST \/api\/v1\/assets\/cmd-filters\/[^/]+\/rules\//);
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/cmd-filters/create');
    await view.field(commandFilter.fields.name.label).fill(name);
    await view.choose(commandFilter.fields.system_users.label, account.name);
    await view.submit();
    await view.notified(common.createSuccess);
    await view.row(name).getByRole('link', { name, exact: true }).click();
    await view.page.getByRole('tab', { name: view.say(filterWords.rules), exact: true }).click();
    // The list is empty, which offers the same button once more.
    await view.button(common.create).first().click();
    await view.field(commandFilterRule.fields.content.label).waitFor();

    // What is no pattern is refused at its field.
    await view.main.getByRole('radio', { name: view.say({ en: 'Regular expression', zh: '正则表达式' }) }).click({ force: true });
    await view.field(commandFilterRule.fields.content.label).fill('(forbidden');
    await view.submit();
    await view.main.getByText('missing closing )').waitFor();
    await view.field(commandFilterRule.fields.content.label).fill('forbidden');
    await view.submit();
    await view.notified(common.createSuccess);
    await view.row('forbidden').waitFor();
    await view.field(filterWords.tryLabel).fill('touch forbidden-file');
    await view.button(filterWords.tryButton).click();
    await view.main.getByText(view.say(filterWords.caught, { priority: 50, found: 'forbidden' })).waitFor();
    await view.field(filterWords.tryLabel).fill('uptime');
    await view.button(filterWords.tryButton).click();
    await view.main.getByText(view.say(filterWords.noRule)).waitFor();

    const typist = await open({ language });
    await signIn(typist, person, '/luna/');
    const terminal = await connectTo(typist.page, language, asset);
    await terminal.ready();
    await terminal.run('echo ready-$((1+1))');
    await terminal.shows('ready-2');
    await terminal.run('touch forbidden-file');
    await terminal.shows(DENIED[language].replace('{name}', name));
    await terminal.run('ls forb* || echo absent-$((1+1))');
    await terminal.shows('absent-2');

    // The rule changes while the session runs.
    const filter = (await admin.get<{ id: string; rules: string[] }[]>(`assets/cmd-filters/?name=${name}`)).body[0] ?? { id: '', rules: [] };
    await admin.patch(`assets/cmd-filters/${filter.id}/`, { is_active: false });
    await terminal.run('echo forbidden-$((1+1))');
    await terminal.shows('forbidden-2');

    await view.page.goto(`/ui/terminal/command?search=${encodeURIComponent('touch forbidden-file')}`);
    await view.row('touch forbidden-file').filter({ hasText: person.username }).getByText(view.say(terminalWords.denied), { exact: true }).waitFor();
    const risky = (await admin.get<{ asset: string }[]>(`terminal/sessions/?risk_level=5&asset_id=${asset.id}`)).body;
    expect(risky).toHaveLength(1);
    await view.page.goto('/ui/terminal/session');
    await view.row(asset.name).getByText(view.say(RISK.choices[1].label), { exact: true }).waitFor();
  },
);
