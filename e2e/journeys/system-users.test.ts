import {
  COMMAND_LIBRARY,
  changeAuthPlan,
  cloudAccount,
  cloudSyncTask,
  commandFilter,
  commandFilterRule,
  PREVIOUS_SECRET_DAYS,
  RISK,
  systemUser,
} from '@sallyport/contract';
import { expect } from 'vitest';
import { startPrivateHost } from '../../server/src/testing/hosts/private-host.ts';
import {
  buildMachines,
  CLOUD_SERVERS,
  type CloudServer,
} from '../../server/src/testing/services/cloud-servers/index.ts';
import { words as pushWords } from '../../web/src/console/features/assets/push/words.ts';
import { words as assetWords } from '../../web/src/console/features/assets/words.ts';
import { words as planWords } from '../../web/src/console/features/change-auth/words.ts';
import { words as cloudWords } from '../../web/src/console/features/cloud/words.ts';
import { words as libraryWords } from '../../web/src/console/features/filters/library/words.ts';
import { words as filterWords } from '../../web/src/console/features/filters/words.ts';
import { words as gatherWords } from '../../web/src/console/features/gathering/words.ts';
import { words as terminalWords } from '../../web/src/console/features/sessions/words.ts';
import {
  words as detail,
  words as detailWords,
} from '../../web/src/console/resource/detail/words.ts';
import { words as form } from '../../web/src/console/resource/form/words.ts';
import { words as reportWords, taskWords } from '../../web/src/console/resource/job/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildGranted, create, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { addLicense } from '../harness/license.ts';
import { declaredScreens } from '../harness/screens.ts';
import { ADMIN } from '../harness/server.ts';
import { visit } from '../harness/visit.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();
const REASON = {
  zh: '没有可用的管理用户：需要用户名以及密码或密钥。',
  en: 'no usable admin user: a username and a password or key are required.',
} as const;

journey(
  'creates the key pair with a system user, and shows the public key on its page',
  async (open, { admin }) => {
    const { fields } = systemUser;
    const name = unique('deploy');
    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    const box = view.main.getByRole('switch', {
      name: new RegExp(`^${RegExp.escape(view.say(fields.auto_generate_key.label))}`),
    });
    await signIn(visitor, ADMIN, '/ui/assets/system-users/create');
    await view.field(fields.name.label).fill(name);
    await view.field(fields.username.label).fill('deploy');
    await view.field(fields.private_key.label).waitFor();
    await view.unfold(assetWords.signIn);
    await box.click({ force: true });
    // A generated key has no input field.
    await view.field(fields.private_key.label).waitFor({ state: 'detached' });
    expect(await view.field(fields.password.label).count()).toBe(0);
    await view.submit();
    await view.notified(common.createSuccess);
    await view.row(name).getByRole('link', { name, exact: true }).click();
    await view.heading.filter({ hasText: name }).waitFor();
    const { id } = (await admin.get<{ id: string }[]>(`assets/system-users/?name=${name}`))
      .body[0] ?? { id: '' };
    const { ssh_public_key: line } = (
      await admin.get<{ ssh_public_key: string }>(`assets/system-users/${id}/`)
    ).body;
    expect(line).toMatch(/^ssh-ed25519 \S+ deploy$/);
    await view.main.getByText(line, { exact: true }).waitFor();
    // No permission grants it yet, so it is on no server.
    await view.main.getByText('/bin/whoami', { exact: true }).waitFor();
    await view.page.getByRole('tab', { name: view.say(pushWords.pushes), exact: true }).click();
    await view.main.getByText(view.say(pushWords.pushHint)).waitFor();
    const host = await create(admin, 'assets/assets/', {
      hostname: unique('host'),
      ip: '127.0.0.1',
      platform: 'Linux',
      protocols: ['ssh/22'],
    });
    await create(admin, 'perms/asset-permissions/', {
      name: unique('rule'),
      assets: [host],
      system_users: [id],
    });
    await view.main.getByText(REASON[language]).waitFor();
    await view.page.getByRole('tab', { name: view.say(detail.overview), exact: true }).click();
    // An existing account keeps its key: its form does not offer another one.
    await view.button(common.update).click();
    await view.field(fields.private_key.label).waitFor();
    await view.unfold(assetWords.signIn);
    expect(await box.count()).toBe(0);

    // In enforced mode it runs what is allowed; a line that cannot be allowed is named.
    visitor.watch.allow(/^400 PUT \/api\/v1\/assets\/system-users\//);
    expect(await view.field(fields.allowed_commands.label).count()).toBe(0);
    await view.unfold(assetWords.limits);
    await view.main
      .getByRole('switch', { name: new RegExp(`^${view.say(fields.enforced.label)}`) })
      .click({ force: true });
    await view.field(fields.allowed_commands.label).fill('id\nls | sort');
    await view.submit();
    await view.main.getByText('ls | sort').last().waitFor();
    await view.field(fields.allowed_commands.label).fill('id\nls -l *');
    await view.submit();
    await view.notified(common.updateSuccess);
    expect(
      (await admin.get<{ allowed_commands: string }>(`assets/system-users/${id}/`)).body,
    ).toMatchObject({ enforced: true, allowed_commands: 'id\nls -l *' });

    // A change of the password is taken back on the page, after a question.
    for (const password of ['the first password', 'the second password'])
      expect((await admin.patch(`assets/system-users/${id}/`, { password })).status).toBe(200);
    await view.page.goto(`/ui/assets/system-users/${id}`);
    await view
      .button(`${view.say(assetWords.previousSecret)}: ${view.say(assetWords.takeBack)}`)
      .click();
    await view.dialog
      .getByText(view.say(assetWords.takeBackQuestion, { name, days: PREVIOUS_SECRET_DAYS }))
      .waitFor();
    await view.dialog
      .getByRole('button', { name: view.say(assetWords.takeBack), exact: true })
      .click();
    await view.notified(assetWords.takenBack);
  },
);

const OVER = { zh: '成功', en: 'Succeeded' } as const;

journey(
  'pushes an account to its server, discovers it there, and rotates its password by a plan that reports the result',
  async (open, { admin, server }) => {
    await addLicense(server, admin);
    const host = await startPrivateHost();
    try {
      const [hostname, name, plan] = [unique('real'), unique('pushed'), unique('plan')];
      const keeper = await create(admin, 'assets/admin-users/', {
        name: unique('keeper'),
        username: 'admin',
        password: host.passwords.admin,
      });
      const protocols = [`ssh/${host.port}`];
      const asset = await create(admin, 'assets/assets/', {
        hostname,
        ip: '127.0.0.1',
        platform: 'Linux',
        protocols,
        admin_user: keeper,
      });
      const secret = { login_mode: 'auto', auto_push: true, auto_generate_key: true };
      const account = await create(admin, 'assets/system-users/', {
        name,
        username: 'journey',
        ...secret,
      });
      await create(admin, 'perms/asset-permissions/', {
        name: unique('rule'),
        assets: [asset],
        system_users: [account],
      });
      const visitor = await open({ language });
      const { page } = visitor;
      const view = new ConsolePage(visitor);
      const problems: string[] = [];
      // All forms share the same parts, so the light theme is enough.
      const look = async (where: string) =>
        problems.push(
          ...(await problemsOf(page, where, where.endsWith('/create') ? ['light'] : undefined)),
        );
      /** Waits until the page of a job says that all of it went well. */
      const over = () =>
        view.main.getByRole('status').filter({ hasText: OVER[language] }).waitFor();

      await signIn(visitor, ADMIN, `/ui/assets/system-users/${account}`);
      await view.button(`${view.say(pushWords.check)}: ${view.say(taskWords.run)}`).click();
      await over();
      await page.goBack();
      await view.button(`${view.say(pushWords.push)}: ${view.say(taskWords.run)}`).click();
      await over();
      expect(await host.inside('id -un journey')).toBe('journey\n');
      await page.goto(`/ui/assets/system-users/${account}?activeTab=Pushes`);
      await view.row(hostname).waitFor();
      await look('results of a push');

      const root = (await admin.get<{ id: string }[]>('assets/nodes/?key=1')).body[0]?.id ?? '';
      const task = await create(admin, 'xpack/gathered-user/tasks/', {
        name: unique('gather'),
        nodes: [root],
      });
      await page.goto(`/ui/xpack/gathered-users/tasks/${task}`);
      await view
        .button(`${view.say(gatherWords.executeNow)}: ${view.say(gatherWords.execute)}`)
        .click();
      // Other journeys have unreachable assets.
      await view.main.getByRole('log').getByText(hostname).waitFor();
      await expect
        .poll(
          async () =>
            (await admin.get<unknown[]>(`assets/gathered-users/?search=${hostname}`)).body,
        )
        .not.toEqual([]);
      await visit(visitor, `/ui/xpack/gathered-users?search=${hostname}`);
      await view.row('journey').waitFor();

      const { fields } = changeAuthPlan;
      const { password_strategy: strategy } = fields;
      await visit(visitor, '/ui/xpack/change-auth-plan/plan/create');
      await view.field(fields.username.label).fill('journey');
      await view.choose(fields.assets.label, hostname);
      await page
        .getByRole('region', { name: view.say(planWords.check) })
        .getByText(view.say(planWords.ready))
        .waitFor();
      await look('a checked plan');
      await page
        .getByRole('radio', { name: view.say(strategy.choices[0]?.label ?? strategy.label) })
        .check();
      await view.field(fields.password.label).fill('A password of 1 journey');
      await page.getByRole('radio', { name: view.say(planWords.onDemand) }).check();
      await view.unfold(form.moreOptions);
      await view.field(fields.name.label).fill(plan);
      await view.submit();
      await view.notified(common.createSuccess);
      await view.row(plan).getByRole('link', { name: plan, exact: true }).click();
      await page.getByRole('tab', { name: view.say(planWords.assetAndNode), exact: true }).click();
      await view.row(hostname).waitFor();
      await look('the assets of a plan');
      await page.getByRole('tab', { name: view.say(detailWords.overview), exact: true }).click();
      await view
        .button(`${view.say(planWords.executeNow)}: ${view.say(planWords.execute)}`)
        .click();
      await view.dialog
        .getByRole('button', { name: view.say(planWords.execute), exact: true })
        .click();
      await over();
      const execution = new URL(page.url()).pathname.split('/').at(-1);
      await page.goto(`/ui/xpack/change-auth-plan/plan-execution/${execution}`);
      await view.main.getByText(view.say(reportWords.allSucceeded, { count: 1 })).waitFor();
      await view.row(hostname).waitFor();
      await look('an execution');
      const stored = (
        await admin.get<{ origin: string }[]>(
          `assets/asset-users/?asset_id=${asset}&username=journey&latest=1`,
        )
      ).body;
      expect(stored).toMatchObject([{ origin: 'change_auth' }]);

      for (const { path, component, licenseRequired, unlisted } of await declaredScreens()) {
        if (!component || !licenseRequired || unlisted || path.includes('$')) continue;
        await page.goto(`/ui${path}`);
        await view.heading.first().waitFor();
        await look(path);
      }
      expect(problems).toEqual([]);
    } finally {
      await host.stop();
    }
  },
);

journey('creates assets from the machines of a cloud account', async (open, { admin, server }) => {
  await addLicense(server, admin);
  const provider = (await CLOUD_SERVERS.aliyun?.()) as CloudServer;
  provider.machines.set('cn-hangzhou', buildMachines(3, 77));
  provider.machines.set('cn-beijing', []);
  try {
    const [name, task] = [unique('cloud'), unique('sync')];
    const { fields } = cloudAccount;
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/xpack/cloud/account/create');
    await view.field(fields.name.label).fill(name);
    await view.choose(fields.provider.label, view.say({ en: 'Alibaba Cloud', zh: '阿里云' }));
    // The page shows the key and the permissions that it needs.
    await view.main.getByRole('status').filter({ hasText: 'ecs:DescribeInstances' }).waitFor();
    await view.field(fields.access_key_id.label).fill(provider.keyId);
    await view
      .field(fields.access_key_secret.label)
      .and(page.locator('input'))
      .fill(provider.secret);
    await view.field(fields.endpoint.label).fill(provider.url);
    await view.field(fields.ca_certificate.label).fill(provider.authority);
    await view.submit();
    await view.notified(common.createSuccess);
    // It was tested by being saved.
    await view
      .row(name)
      .getByText(view.say({ en: 'Available', zh: '有效' }), { exact: true })
      .waitFor();

    await visit(visitor, '/ui/xpack/cloud/sync-instance-tasks/create');
    await view.field(cloudSyncTask.fields.name.label).fill(task);
    await view.choose(cloudSyncTask.fields.account.label, name);
    await view.choose(cloudWords.regions, 'cn-hangzhou');
    const root =
      (await admin.get<{ full_value: string }[]>('assets/nodes/?key=1')).body[0]?.full_value ?? '';
    await view.choose(cloudSyncTask.fields.node.label, root);
    await view.submit();
    await view.notified(common.createSuccess);
    await view.row(task).getByRole('link', { name: task, exact: true }).click();
    await view
      .button(`${view.say(cloudWords.executeNow)}: ${view.say(cloudWords.execute)}`)
      .click();
    await view.main.getByRole('status').filter({ hasText: OVER[language] }).waitFor();
    const { id } = (
      await admin.get<{ id: string }[]>(`xpack/cloud/sync-instance-tasks/?name=${task}`)
    ).body[0] ?? { id: '' };
    await page.goto(`/ui/xpack/cloud/sync-instance-tasks/${id}?activeTab=HistoryList`);
    await view.rows.filter({ hasText: view.say({ en: 'Succeed', zh: '成功' }) }).waitFor();
    await page.goto(`/ui/xpack/cloud/sync-instance-tasks/${id}?activeTab=AssetList`);
    await view
      .row('i-77-00002')
      .getByText(view.say({ en: 'Synced (new)', zh: '已同步（新增）' }))
      .waitFor();
    expect(await problemsOf(page, 'instances of a task')).toEqual([]);

    // Machines that the provider has deleted are released; only an administrator deletes their
    // assets.
    provider.machines.set('cn-hangzhou', buildMachines(2, 77));
    await admin.get(`xpack/cloud/sync-instance-tasks/${id}/run/`);
    await view
      .row('i-77-00002')
      .getByText(view.say({ en: 'Released', zh: '已释放' }))
      .waitFor();
    await view.button(cloudWords.deleteReleased).click();
    await view.dialog
      .getByRole('button', { name: view.say(cloudWords.deleteReleased), exact: true })
      .click();
    await page
      .getByText(view.say(cloudWords.deleted, { deleted: 1, disabled: 0 }), { exact: true })
      .first()
      .waitFor();
    await view.row('i-77-00002').waitFor({ state: 'detached' });
  } finally {
    await provider.stop();
  }
});

const DENIED = {
  zh: '命令过滤器“{name}”禁止执行：forbidden',
  en: 'The command filter "{name}" does not allow this: forbidden',
} as const;

journey(
  'creates a command filter with a tried rule, refuses the command in the terminal, and lists the risk',
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
    await view.link(common.create).first().click();
    await view.field(commandFilterRule.fields.content.label).waitFor();

    // An invalid pattern is refused at its field.
    await view.main
      .getByRole('radio', { name: view.say({ en: 'Regular expression', zh: '正则表达式' }) })
      .click({ force: true });
    await view.field(commandFilterRule.fields.content.label).fill('(forbidden');
    await view.submit();
    await view.main.getByText('missing closing )').waitFor();
    await view.field(commandFilterRule.fields.content.label).fill('forbidden');
    await view.submit();
    await view.notified(common.createSuccess);
    await view.row('forbidden').waitFor();
    await view.field(filterWords.tryLabel).fill('touch forbidden-file');
    await view.button(filterWords.tryButton).click();
    await view.main
      .getByText(view.say(filterWords.caught, { priority: 50, found: 'forbidden' }))
      .waitFor();
    await view.field(filterWords.tryLabel).fill('uptime');
    await view.button(filterWords.tryButton).click();
    await view.main.getByText(view.say(filterWords.noRule)).waitFor();

    // A rule of the library, which the filter has only after the dialog.
    await view.button(filterWords.library).click();
    const library = view.page.getByRole('dialog');
    const [suggested] = COMMAND_LIBRARY[0].rules;
    await library.getByRole('checkbox', { name: view.say(suggested.sentence) }).check();
    expect(await problemsOf(view.page, 'library of rules')).toEqual([]);
    await library.getByRole('button', { name: view.say(libraryWords.add, { count: 1 }) }).click();
    await view.page.getByText(view.say(libraryWords.added, { count: 1 })).waitFor();
    await view.field(filterWords.tryLabel).fill(suggested.example);
    await view.button(filterWords.tryButton).click();
    await view.main.getByText(suggested.content).last().waitFor();

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
    const filter = (
      await admin.get<{ id: string; rules: string[] }[]>(`assets/cmd-filters/?name=${name}`)
    ).body[0] ?? { id: '', rules: [] };
    await admin.patch(`assets/cmd-filters/${filter.id}/`, { is_active: false });
    // The server hears of it a moment later.
    const isAllowed = async () => {
      await terminal.run('clear; echo forbidden-$((1+1)); echo over');
      await terminal.shows(/forbidden-2\s+over|echo over\s+\S.*forbidden/);
      return (await terminal.text()).includes('forbidden-2');
    };
    await expect.poll(isAllowed).toBe(true);

    await visit(
      visitor,
      `/ui/terminal/command?search=${encodeURIComponent('touch forbidden-file')}`,
    );
    await view
      .row('touch forbidden-file')
      .filter({ hasText: person.username })
      .getByText(view.say(terminalWords.denied), { exact: true })
      .waitFor();
    // A ready-made search is one condition with its name; it does not find what it does not mean.
    const search = view.main.getByRole('combobox', {
      name: view.say(list.searchPlaceholder),
      exact: true,
    });
    const preset = view.say(terminalWords.deletesFiles);
    await view.page.goto('/ui/terminal/command');
    await view.row('touch forbidden-file').filter({ hasText: person.username }).waitFor();
    await search.click();
    await view.page.getByRole('option', { name: preset, exact: true }).click();
    await view.main
      .getByRole('button', { name: view.say(list.removeTag, { tag: preset }) })
      .waitFor();
    await view.row('touch forbidden-file').first().waitFor({ state: 'detached' });
    await expect
      .poll(
        async () =>
          (
            await admin.get<{ asset: string }[]>(
              `terminal/sessions/?risk_level=5&asset_id=${asset.id}`,
            )
          ).body,
      )
      .toHaveLength(1);
    await visit(visitor, '/ui/terminal/session');
    await view
      .row(asset.name)
      .getByText(view.say(RISK.choices[1].label), { exact: true })
      .waitFor();
  },
);
