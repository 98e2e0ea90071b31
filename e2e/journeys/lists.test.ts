import {
  adminUser,
  asset,
  assetPermission,
  domain,
  gateway,
  type LocalText,
  label,
  systemUser,
} from '@sallyport/contract';
import { expect } from 'vitest';
import { words as assets } from '../../web/src/console/features/assets/words.ts';
import { words as perms } from '../../web/src/console/features/perms/words.ts';
import { words as detail } from '../../web/src/console/resource/detail/words.ts';
import { words as form } from '../../web/src/console/resource/form/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { heardMessage } from '../harness/messages.ts';
import { ADMIN } from '../harness/server.ts';
import { visit } from '../harness/visit.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

const SAID = {
  zh: {
    delete: '你确定要删除',
    deleted: '删除成功',
    unique: '该字段的值必须唯一。',
    created: '创建成功',
    updated: '更新成功',
    required: '这个字段是必填项',
  },
  en: {
    delete: 'Are you sure to delete',
    deleted: 'Delete success',
    unique: 'This field must be unique.',
    created: 'Create success',
    updated: 'Update success',
    required: 'This field is required',
  },
} as const;

journey(
  'keeps search, order and page of a list in the address after a reload and on the way back',
  async (open, { admin }) => {
    const color = unique('color');
    for (let number = 10; number < 32; number++)
      expect(
        (await admin.post('assets/labels/', { name: color, value: `v${number}` })).status,
      ).toBe(201);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/labels');
    await view.search(color);
    await expect.poll(() => view.rows.count()).toBe(15);
    await page.getByText('22 in total').waitFor();
    await page.getByRole('button', { name: view.say(list.sortBy, { name: 'Value' }) }).click();
    await page.getByRole('button', { name: view.say(list.sortBy, { name: 'Value' }) }).click();
    await view.rows.first().getByText('v31').waitFor();
    await page.getByRole('button', { name: view.say(list.page, { page: 2 }), exact: true }).click();
    await expect.poll(() => view.rows.count()).toBe(7);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      search: color,
      order: '-value',
      page: '2',
    });

    // The first query of a list carries its initial conditions: the page never requests or shows
    // the whole list.
    const requests: URL[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (request.method() === 'GET' && url.pathname.endsWith('/assets/labels/'))
        requests.push(url);
    });
    await page.reload();
    await view.rows.first().getByText('v16').waitFor();
    expect(requests.length).toBeGreaterThan(0);
    expect(
      requests.map(({ searchParams }) => [searchParams.get('search'), searchParams.get('order')]),
    ).toEqual(requests.map(() => [color, '-value']));
    // Away to one of its objects, and back by the browser's own button.
    await view.rows
      .first()
      .getByRole('button', { name: view.say(common.update) })
      .click();
    await page.waitForURL(/\/update$/);
    await page.goBack();
    await view.rows.first().getByText('v16').waitFor();

    // Narrowing begins at the first page again; clearing shows everything.
    await view.search('nothing has this name');
    await page.getByText(view.say(list.nothingFound)).waitFor();
    expect(new URL(page.url()).searchParams.has('page')).toBe(false);
    await view.button(list.clearFilters).last().click();
    await expect.poll(() => view.rows.count()).toBe(15);
  },
);

journey(
  'confirms a deletion with the specified text and a red button, and deletes several rows at once',
  async (open, { admin }) => {
    const names = [unique('domain'), unique('domain'), unique('domain')];
    for (const name of names) await admin.post('assets/domains/', { name });
    const [first = '', second = '', third = ''] = names;
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/domains');
    await view
      .row(first)
      .getByRole('button', { name: view.say(common.delete) })
      .click();
    await view.dialog.getByText(`${SAID[language].delete} "${first}" ?`).waitFor();
    const confirm = view.dialog.getByRole('button', { name: view.say(common.delete), exact: true });
    const isRed = async () => {
      const [red = 0, green = 0, blue = 0] =
        (await confirm.evaluate((element) => getComputedStyle(element).backgroundColor))
          .match(/\d+/g)
          ?.map(Number) ?? [];
      return red > 2 * Math.max(green, blue);
    };
    await expect.poll(isRed).toBe(true);
    await view.dialog.getByRole('button', { name: view.say(common.cancel) }).click();
    await view.row(first).waitFor();

    await view
      .row(first)
      .getByRole('button', { name: view.say(common.delete) })
      .click();
    await confirm.click();
    await heardMessage(page, SAID[language].deleted);
    await view.row(first).waitFor({ state: 'detached' });

    for (const name of [second, third])
      await page.getByRole('checkbox', { name: view.say(list.selectRow, { name }) }).check();
    await page.getByText(view.say(list.selected, { count: 2 })).waitFor();
    await view.button(list.moreActions).click();
    await page.getByRole('menuitem', { name: view.say(list.deleteSelected) }).click();
    await view.answerToMany('deleteMany').click();
    await view.row(second).waitFor({ state: 'detached' });
    await view.row(third).waitFor({ state: 'detached' });
    expect((await admin.get<unknown[]>(`assets/domains/?name=${second}`)).body).toEqual([]);
  },
);

journey(
  'shows missing and refused values on their form fields, and warns before changes are lost',
  async (open, { admin }) => {
    const taken = unique('domain');
    await admin.post('assets/domains/', { name: taken });
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/domains/create');
    const name = view.field(domain.fields.name.label);
    await name.waitFor();
    await view.submit();
    await page.getByText(SAID[language].required).waitFor();

    visitor.watch.allow(/^400 POST \/api\/v1\/assets\/domains\//);
    await name.fill(taken);
    await view.submit();
    await view.main.getByText(SAID[language].unique).waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');

    await name.fill(`${taken}-2`);
    await (await view.entry(language === 'zh' ? '标签管理' : 'Labels')).click();
    await view.dialog.getByText(view.say(form.leaveText)).waitFor();
    await view.dialog.getByRole('button', { name: view.say(form.stay) }).click();
    expect(await name.inputValue()).toBe(`${taken}-2`);
    await view.submit();
    await heardMessage(page, SAID[language].created);
    await view
      .row(`${taken}-2`)
      .getByRole('button', { name: view.say(common.update) })
      .click();
    await view.field(domain.fields.comment.label).fill('changed');
    await view.submit();
    await heardMessage(page, SAID[language].updated);
    await view.row(`${taken}-2`).getByText('changed').waitFor();

    await visit(visitor, '/ui/assets/labels/create');
    await view.field(label.fields.name.label).fill('given up');
    await (await view.entry(language === 'zh' ? '网域列表' : 'Domains')).click();
    await view.dialog.getByRole('button', { name: view.say(form.leave), exact: true }).click();
    await page.waitForURL(/\/ui\/assets\/domains/);
  },
);

journey(
  'creates, shows, changes and deletes every object around a server on its pages',
  async (open, { admin }) => {
    const visitor = await open({ language: 'zh' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    const fact = (label: LocalText) =>
      view.main
        .locator('dt')
        .filter({ hasText: view.say(label) })
        .locator('+ dd');
    const fill = async (values: readonly (readonly [LocalText, string])[]) => {
      for (const [label, value] of values) await view.field(label).fill(value);
    };
    const saved = async (word: LocalText) => {
      await view.submit();
      await page.waitForURL((url) => !/\/(create|update)$/.test(url.pathname));
      await view.notified(word);
    };
    /**
     * Creates an object with its form, opens its page, and changes its comment from there. The page
     * of the object stays open.
     */
    const make = async (
      path: string,
      name: string,
      comment: LocalText,
      values: readonly (readonly [LocalText, string])[],
      more?: () => Promise<void>,
    ) => {
      await visit(visitor, `/ui${path}/create`);
      await fill(values);
      await more?.();
      await saved(common.createSuccess);
      await view.search(name);
      await view.row(name).getByRole('link', { name }).first().click();
      await view.heading.filter({ hasText: name }).waitFor();
      await view.main.getByRole('button', { name: view.say(common.update), exact: true }).click();
      await view.field(comment).waitFor({ state: 'attached' });
      if (!(await view.field(comment).isVisible())) await view.unfold(form.moreOptions);
      await view.field(comment).fill(`about ${name}`);
      await saved(common.updateSuccess);
      await view.row(name).getByRole('link', { name }).first().click();
      await expect.poll(() => fact(comment).textContent()).toBe(`about ${name}`);
    };
    const [zone, hop, keeper, account, host, tag, rule] = [
      'zone',
      'hop',
      'keeper',
      'account',
      'host',
      'tag',
      'rule',
    ].map(unique) as [string, string, string, string, string, string, string];
    await signIn(visitor, ADMIN, '/ui/assets/domains');

    // A domain, and its gateway from the domain's own page and back to it.
    await make('/assets/domains', zone, domain.fields.comment.label, [
      [domain.fields.name.label, zone],
    ]);
    await page.getByRole('tab', { name: view.say(assets.gateways), exact: true }).click();
    await view.link(common.create).first().click();
    await fill([
      [gateway.fields.name.label, hop],
      [gateway.fields.ip.label, '192.0.2.1'],
      [gateway.fields.username.label, 'jump'],
      [gateway.fields.password.label, 'kept for the way'],
    ]);
    await saved(common.createSuccess);
    for (const port of ['22', '2222']) {
      await view.row(hop).getByRole('cell', { name: port, exact: true }).waitFor();
      if (port === '2222') break;
      await view
        .row(hop)
        .getByRole('button', { name: view.say(common.update) })
        .click();
      await view.field(gateway.fields.port.label).fill('2222');
      await saved(common.updateSuccess);
    }

    // Each page in the row of those visited bears its own name.
    await expect.poll(() => view.tabs.getByText(zone, { exact: true }).count()).toBe(1);

    await make('/assets/admin-users', keeper, adminUser.fields.comment.label, [
      [adminUser.fields.name.label, keeper],
      [adminUser.fields.username.label, 'root'],
      [adminUser.fields.password.label, 'kept for background work'],
    ]);
    await make('/assets/system-users', account, systemUser.fields.comment.label, [
      [systemUser.fields.name.label, account],
      [systemUser.fields.username.label, 'deploy'],
      [systemUser.fields.password.label, 'kept for people'],
    ]);
    const fields = asset.fields;
    await make(
      '/assets/assets',
      host,
      fields.comment.label,
      [
        [fields.hostname.label, host],
        [fields.ip.label, '192.0.2.2'],
      ],
      async () => {
        await view.unfold(form.moreOptions);
        await view.choose(fields.domain.label, zone);
        await view.choose(fields.admin_user.label, keeper);
      },
    );
    await expect.poll(() => fact(fields.domain.label).textContent()).toBe(zone);
    await view.main.getByRole('switch', { name: view.say(assets.isActive) }).click({ force: true });
    await view.dialog.getByRole('button', { name: view.say(detail.disable), exact: true }).click();
    await view.notified(common.updateSuccess);
    await expect
      .poll(
        async () =>
          (await admin.get<{ is_active: boolean }[]>(`assets/assets/?hostname=${host}`)).body[0]
            ?.is_active,
      )
      .toBe(false);

    // Labels have no page.
    await visit(visitor, '/ui/assets/labels/create');
    await fill([
      [label.fields.name.label, tag],
      [label.fields.value.label, 'before'],
    ]);
    await view.choose(label.fields.assets.label, host);
    await saved(common.createSuccess);
    await view.search(tag);
    await view
      .row(tag)
      .getByRole('button', { name: view.say(common.update) })
      .click();
    await view.field(label.fields.value.label).fill('after');
    await saved(common.updateSuccess);
    await view.search(tag);
    await view.row(tag).getByText('after').waitFor();

    // Another administrator removes an object from the rule meanwhile; adding to the rule does not
    // restore it.
    await make(
      '/perms/asset-permissions',
      rule,
      assetPermission.fields.comment.label,
      [[assetPermission.fields.name.label, rule]],
      async () => {
        await view.choose(assetPermission.fields.users.label, 'admin');
        await view.choose(assetPermission.fields.assets.label, host);
        await view.choose(assetPermission.fields.system_users.label, account);
      },
    );
    expect(new URL(page.url()).pathname).toMatch(/^\/ui\/perms\/asset-permissions\/[0-9a-f-]{36}$/);
    const { body } = await admin.get<{ id: string; assets: string[]; users: string[] }[]>(
      `perms/asset-permissions/?name=${rule}`,
    );
    const [{ id, assets: [held = ''] = [] } = { id: '' }] = body;
    await page.getByRole('tab', { name: view.say(perms.assetsTab), exact: true }).click();
    await view.row(host).waitFor();
    expect(
      (
        await admin.delete(
          `perms/asset-permissions-assets-relations/?assetpermission=${id}&asset=${held}`,
        )
      ).status,
    ).toBe(204);
    const nodes = page.getByRole('region', { name: view.say(perms.addNode) });
    await nodes.getByRole('textbox').or(nodes.getByRole('combobox')).first().click();
    await page
      .getByRole('option', { name: /Default/ })
      .first()
      .click();
    await page.keyboard.press('Escape');
    await nodes.getByRole('button', { name: view.say(common.add), exact: true }).click();
    await view.notified(detail.addSuccess);
    const now = await admin.get<{ assets: string[]; nodes: string[] }>(
      `perms/asset-permissions/${id}/`,
    );
    expect([now.body.assets.length, now.body.nodes.length]).toEqual([0, 1]);

    // The assets that the account reaches, on its page.
    await admin.post('perms/asset-permissions-assets-relations/', {
      assetpermission: id,
      asset: held,
    });
    await visit(visitor, `/ui/assets/system-users?search=${account}`);
    await view.row(account).getByRole('link', { name: /^\d+$/ }).click();
    await page
      .getByRole('tab', { name: view.say(assets.assetList), exact: true, selected: true })
      .waitFor();
    await view.row(host).waitFor();

    // Deleted from their pages, what holds others last.
    for (const [path, name] of [
      ['/perms/asset-permissions', rule],
      ['/assets/assets', host],
      ['/assets/system-users', account],
      ['/assets/admin-users', keeper],
    ] as const) {
      await visit(visitor, `/ui${path}?search=${name}`);
      await view.row(name).getByRole('link', { name }).first().click();
      await view.heading.filter({ hasText: name }).waitFor();
      // Wait for the requests of the open tab before the object is deleted.
      await expect.poll(() => view.main.locator('.mantine-Skeleton-root').count()).toBe(0);
      await view.main.getByRole('button', { name: view.say(common.delete), exact: true }).click();
      await view.dialog.getByText(`${SAID.zh.delete} "${name}`).waitFor();
      await view.dialog.getByRole('button', { name: view.say(common.delete), exact: true }).click();
      await page.waitForURL((url) => url.pathname === `/ui${path}`);
    }
    for (const path of [
      `assets/assets/?hostname=${host}`,
      `assets/system-users/?name=${account}`,
      `assets/admin-users/?name=${keeper}`,
    ])
      expect((await admin.get<unknown[]>(path)).body, path).toEqual([]);
  },
);
