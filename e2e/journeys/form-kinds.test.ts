import { assetPermission, label } from '@sallyport/contract';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import type { Client } from '../../server/src/testing/client.ts';
import { words as form } from '../../web/src/console/resource/form/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { buildSystemUser, create, unique } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useStage();

interface Metadata {
  readonly type: string;
  readonly label: string;
  readonly read_only: boolean;
  readonly max_length?: number;
  readonly choices?: readonly { readonly value: unknown; readonly display_name: string }[];
}

/** The forms of the console: the path of the form, and that of the list it adds to. */
function formsOf(domain: string, filter: string): (readonly [form: string, list: string])[] {
  const same = [
    'users/users',
    'users/groups',
    'assets/assets',
    'assets/domains',
    'assets/admin-users',
    'assets/system-users',
    'assets/cmd-filters',
    'assets/platforms',
    'assets/labels',
    'applications/remote-apps',
    'applications/database-apps',
    'perms/asset-permissions',
    'perms/remote-app-permissions',
    'perms/database-app-permissions',
    'perms/emergency-access',
  ];
  return [
    ...same.map((path) => [`${path}/create`, path] as const),
    [`assets/gateways/create?domain=${domain}`, 'assets/gateways'],
    [`assets/command-filter-rules/create?filter=${filter}`, `assets/cmd-filters/${filter}/rules`],
    ['terminal/replay-storage/create', 'terminal/replay-storages'],
    ['terminal/command-storage/create', 'terminal/command-storages'],
  ];
}

/** The control that the specification gives a field; undefined where it names none. */
function specifiedControl(name: string, { type, max_length: max, choices }: Metadata) {
  if (name === 'email' || name === 'password') return name;
  if (name === 'comment') return 'text area of 3 rows';
  if (type === 'choice') return (choices?.length ?? 0) > 4 ? 'filterable select' : 'radio buttons';
  if (type === 'datetime') return 'datetime picker';
  return type === 'string' && max === undefined ? 'text area of 3 rows' : undefined;
}

/** The control on the page, as the browser draws it. */
const drawnControl = (control: Locator): Promise<string> =>
  control.evaluate((element) => {
    if (element instanceof HTMLTextAreaElement) return `text area of ${element.rows} rows`;
    if (element.getAttribute('role') === 'radiogroup')
      return element.querySelector('input[type="radio"]') ? 'radio buttons' : 'empty group';
    if (!(element instanceof HTMLInputElement)) return element.tagName;
    if (element.getAttribute('role') === 'combobox')
      return element.readOnly ? 'select without a filter' : 'filterable select';
    if (element.parentElement?.querySelector('button[aria-haspopup="dialog"]'))
      return 'datetime picker';
    return element.type;
  });

const metadataOf = async (admin: Client, list: string): Promise<Record<string, Metadata>> => {
  const { body } = await admin
    .with({ 'accept-language': 'en' })
    .options<{ actions: { POST: Record<string, Metadata> } }>(`${list}/?draw=1&display=1`);
  return body.actions.POST;
};

journey(
  'draws every field of every form as its metadata says',
  async (open, { admin }) => {
    const domain = await create(admin, 'assets/domains/', { name: unique('domain') });
    const filter = await create(admin, 'assets/cmd-filters/', { name: unique('filter') });
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/assets/labels');
    await view.heading.waitFor();
    const fields = view.main.locator('form');
    const folded = fields.locator('button[aria-expanded="false"]:not([aria-haspopup])');
    const kinds = new Map<string, number>();
    const wrong: string[] = [];
    for (const [path, list] of formsOf(domain, filter)) {
      await page.goto(`/ui/${path}`);
      await view.button(common.submit).waitFor();
      while ((await folded.count()) > 0) await folded.first().click();
      for (const [name, metadata] of Object.entries(await metadataOf(admin, list))) {
        const control = view.field(metadata.label).first();
        const expected = specifiedControl(name, metadata);
        // A form shows some fields only with certain values of others.
        if (metadata.read_only || !expected || (await control.count()) === 0) continue;
        const drawn = await drawnControl(control);
        if (drawn !== expected) wrong.push(`${path}: ${name} is ${drawn}, not ${expected}`);
        kinds.set(expected, (kinds.get(expected) ?? 0) + 1);
      }
    }
    expect(wrong).toEqual([]);
    expect([...kinds.keys()].toSorted()).toEqual([
      'datetime picker',
      'email',
      'filterable select',
      'password',
      'radio buttons',
      'text area of 3 rows',
    ]);

    // The filter of a select, and the picker of a date.
    await page.goto('/ui/assets/system-users/create');
    const { protocol } = await metadataOf(admin, 'assets/system-users');
    const select = view.field(protocol?.label ?? '');
    await select.click();
    await expect.poll(() => page.getByRole('option').count()).toBe(protocol?.choices?.length);
    await select.fill('teln');
    await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['telnet']);
    await page.goto('/ui/perms/asset-permissions/create');
    await view.unfold(form.moreOptions);
    const start = view.field(assetPermission.fields.date_start.label);
    await view
      .button(`${view.say(form.pickDate)}: ${view.say(assetPermission.fields.date_start.label)}`)
      .click();
    await view.dialog.getByRole('button', { name: /^15 / }).first().click();
    await expect.poll(() => start.inputValue()).toMatch(/^\d{4}-\d\d-15 \d\d:\d\d:\d\d$/);
  },
  600_000,
);

journey(
  'checks a text on blur and a choice on change, and trims a text',
  async (open, { admin, sshd }) => {
    const account = await buildSystemUser(admin, sshd);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    const { fields } = assetPermission;
    await signIn(visitor, ADMIN, '/ui/perms/asset-permissions/create');
    const name = view.field(fields.name.label);
    const invalid = (control: Locator) => control.getAttribute('aria-invalid');
    await name.fill('for a moment');
    await name.fill('');
    // Typing checks nothing; leaving the field does.
    expect(await invalid(name)).not.toBe('true');
    expect(await view.main.getByText('This field is required').count()).toBe(0);
    await name.press('Tab');
    await expect.poll(() => invalid(name)).toBe('true');
    await expect.poll(() => view.main.getByText('This field is required').count()).toBe(1);
    await name.fill('  a rule \t');
    await name.press('Tab');
    await expect.poll(() => name.inputValue()).toBe('a rule');
    await expect.poll(() => view.main.getByText('This field is required').count()).toBe(0);

    // A choice is checked when it changes, while its control has the focus.
    const accounts = view.field(fields.system_users.label).and(page.getByRole('combobox'));
    await view.choose(fields.system_users.label, account.name);
    await accounts.focus();
    // The first key marks the last object, the second one removes it.
    for (const key of ['Backspace', 'Backspace']) await accounts.press(key);
    await expect.poll(() => view.main.getByText('This field is required').count()).toBe(1);
    expect(await accounts.evaluate((element) => element === document.activeElement)).toBe(true);

    await page.goto('/ui/assets/labels/create');
    const tag = unique('tag');
    await view.field(label.fields.name.label).fill(` ${tag}\t`);
    await view.field(label.fields.value.label).fill('  two words ');
    await view.submit();
    await view.notified(common.createSuccess);
    const { body } = await admin.get<{ name: string; value: string }[]>(
      `assets/labels/?name=${tag}`,
    );
    expect(body).toMatchObject([{ name: tag, value: 'two words' }]);
  },
);
