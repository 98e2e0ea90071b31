import { readFile } from 'node:fs/promises';
import {
  asset,
  type LocalText,
  loginLog,
  operateLog,
  passwordChangeLog,
  RESOURCES,
} from '@sallyport/contract';
import pg from 'pg';
import { expect } from 'vitest';
import { Client } from '../../server/src/testing/client.ts';
import { freePort } from '../../server/src/testing/free-port.ts';
import { codeOf, enrolTotp } from '../../server/src/testing/second-factors.ts';
import { words as audits } from '../../web/src/console/features/audits/words.ts';
import { words as monitor } from '../../web/src/console/features/jobs/words.ts';
import { words as mfa } from '../../web/src/console/features/mfa/words.ts';
import { words as batch } from '../../web/src/console/features/ops/words.ts';
import { words as overTime } from '../../web/src/console/resource/list/histogram/words.ts';
import { words as list } from '../../web/src/console/resource/list/words.ts';
import { words as transfer } from '../../web/src/console/resource/transfer/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { words as identity } from '../../web/src/kit/identity/words.ts';
import { problemsOf } from '../harness/axe.ts';
import {
  buildAsset,
  buildPermission,
  buildPerson,
  buildSystemUser,
  unique,
} from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN, type Server } from '../harness/server.ts';
import { UNREACHED } from '../harness/watch.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

const ENTRY = { zh: '改密日志', en: 'Password change logs' } as const;
const OPERATIONS = { zh: '操作日志', en: 'Operation logs' } as const;
const SIGN_INS = { zh: '登录日志', en: 'Sign-in log' } as const;
const WRONG_PASSWORD = { zh: '密码错误', en: 'Wrong password' } as const;
const UPDATE = { zh: '更新', en: 'Update' } as const;
const CHAINED = ['operate_log', 'login_log', 'password_change_log', 'ftp_log'];

journey(
  'describes every logged action in words, filters the logs, and verifies that they are complete',
  async (open, { admin }) => {
    const [changed, other] = [await buildPerson(admin), await buildPerson(admin)];
    for (const { id } of [changed, other]) {
      const { status, text } = await admin.patch(`users/users/${id}/`, {
        password: 'another password of the journeys 2',
      });
      expect(status, text).toBe(200);
    }

    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await view.open(ENTRY[language]);
    await view.page.getByRole('heading', { level: 1, name: ENTRY[language] }).waitFor();
    await view
      .row(`${changed.name}(${changed.username})`)
      .first()
      .getByText('Administrator(admin)')
      .waitFor();
    await view.row(other.username).first().waitFor();

    await view.search(changed.username);
    await view.row(other.username).first().waitFor({ state: 'detached' });
    await view.row(changed.username).first().waitFor();
    await view.main
      .getByRole('columnheader', {
        name: view.say(passwordChangeLog.fields.change_by.label),
        exact: true,
      })
      .waitFor();

    await view.button(audits.verify).click();
    await view.dialog.getByText(view.say(audits.allIntact)).waitFor();
    for (const name of CHAINED) {
      const resource = RESOURCES.find((one) => one.name === name);
      if (!resource) throw new Error(`there is no ${name}`);
      await view.dialog
        .getByRole('row')
        .filter({
          has: view.page.getByRole('cell', { name: view.say(resource.title), exact: true }),
        })
        .getByText(view.say(audits.intact), { exact: true })
        .waitFor();
    }
    await view.page.keyboard.press('Escape');
    await view.dialog.waitFor({ state: 'detached' });

    // Search a change by its kind; its description names the linked object.
    const name = unique('described');
    const { body: host } = await admin.post<{ id: string }>('assets/assets/', {
      hostname: name,
      ip: '192.0.2.9',
      platform: 'Linux',
      protocols: ['ssh/22'],
    });
    const { body: zone } = await admin.post<{ id: string }>('assets/domains/', {
      name: `zone of ${name}`,
    });
    expect(
      (await admin.patch(`assets/assets/${host.id}/`, { domain: zone.id, is_active: false }))
        .status,
    ).toBe(200);
    await view.open(OPERATIONS[language]);
    await view.search(name);
    await view.row(`zone of ${name}`).first().waitFor();
    await view.button(list.advancedFilter).click();
    const kind = view.dialog.getByRole('combobox', {
      name: view.say(operateLog.fields.resource_type.label),
    });
    await kind.click();
    await view.page.getByRole('option', { name: view.say(asset.title), exact: true }).click();
    await view.dialog.getByRole('button', { name: view.say(list.apply), exact: true }).click();
    await view.row(`zone of ${name}`).first().waitFor({ state: 'detached' });
    await view.row(view.say(UPDATE)).getByRole('button', { expanded: false }).first().click();
    const changes = view.page.getByRole('table', { name, exact: true });
    const change = (label: LocalText) =>
      changes
        .getByRole('row')
        .filter({ has: view.page.getByRole('rowheader', { name: view.say(label), exact: true }) });
    await change(asset.fields.domain.label).getByText(`zone of ${name}`).waitFor();
    await change(asset.fields.is_active.label)
      .getByText(view.say(common.no), { exact: true })
      .waitFor();

    // A sign-in that was refused is in its log with the reason.
    await new Client(admin.url).post('authentication/auth/', {
      username: other.username,
      password: 'not it',
    });
    await view.open(SIGN_INS[language]);
    await view.search(other.username);
    await view
      .row(other.username)
      .getByText(view.say(audits.failed), { exact: true })
      .first()
      .waitFor();
    await view.main.getByText(WRONG_PASSWORD[language]).first().waitFor();
  },
);

/**
 * Changes the address in the first entry of the sign-in log, bypassing all guards. Returns its
 * number and the old address.
 */
async function forge(server: Server, address: string): Promise<{ sequence: number; ip: string }> {
  const client = new pg.Client({ connectionString: server.databaseUrl });
  await client.connect();
  try {
    await client.query("set session_replication_role = 'replica'");
    const first = await client.query<{ sequence: string; ip: string }>(
      'select sequence, ip from login_log order by sequence limit 1',
    );
    await client.query('update login_log set ip = $1 where sequence = $2', [
      address,
      first.rows[0]?.sequence,
    ]);
    return { sequence: Number(first.rows[0]?.sequence), ip: first.rows[0]?.ip ?? '' };
  } finally {
    await client.end();
  }
}

journey(
  'names a forged entry by its number when logs are verified, and reports when verification cannot run',
  async (open, { server }) => {
    const visitor = await open({ language: 'en' });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/audits/operate-log');
    const { sequence, ip } = await forge(server, '203.0.113.99');
    try {
      await view.button(audits.verify).click();
      await view.dialog.getByText(view.say(audits.notIntact)).waitFor();
      await view.dialog
        .getByRole('row')
        .filter({ hasText: view.say(loginLog.title) })
        .getByText(view.say(audits.brokenAt, { number: sequence }), { exact: true })
        .waitFor();
      await view.dialog
        .getByRole('row')
        .filter({ hasText: view.say(operateLog.title) })
        .getByText(view.say(audits.intact), { exact: true })
        .waitFor();
    } finally {
      await forge(server, ip);
    }
    await view.button(audits.verifyAgain).click();
    await view.dialog.getByText(view.say(audits.allIntact)).waitFor();
    const [proof] = await Promise.all([
      visitor.page.waitForEvent('download'),
      view.button(audits.saveProof).click(),
    ]);
    expect(proof.suggestedFilename()).toMatch(/^sallyport-audit-.*\.json$/);
    const kept = JSON.parse(await readFile(await proof.path(), 'utf8')) as {
      intact: boolean;
      logs: { sequence: number; digest: string }[];
    };
    expect(kept.intact).toBe(true);
    for (const { sequence, digest } of kept.logs)
      expect(digest).toMatch(sequence > 0 ? /^[0-9a-f]{64}$/ : /^$/);

    // The automatic requests of the page fail at this moment, too.
    visitor.watch.allow(...UNREACHED);
    await visitor.context.setOffline(true);
    await view.button(audits.verifyAgain).click();
    await view.dialog.getByText(view.say(audits.verifyFailed)).waitFor();
    await visitor.context.setOffline(false);
  },
);

journey('lets an auditor of the installation verify the logs', async (open, { admin }) => {
  const person = await buildPerson(admin, { role: 'Auditor' });
  const visitor = await open({ language: 'en' });
  const view = new ConsolePage(visitor);
  await signIn(visitor, person, '/ui/audits/password-change-log');
  await view.page.getByRole('heading', { level: 1, name: ENTRY.en }).waitFor();
  await view.button(audits.verify).click();
  await view.dialog.getByText(view.say(audits.allIntact)).waitFor();
});

journey(
  'runs a command on two servers by keyboard, repeats it on the failed one, keeps the results, and logs it',
  async (open, { admin, sshd }) => {
    const person = await buildPerson(admin);
    const [good, dead] = [
      await buildAsset(admin, sshd),
      await buildAsset(admin, { host: '127.0.0.1', port: await freePort() }),
    ];
    const account = await buildSystemUser(admin, sshd);
    const rule = await buildPermission(admin, [person], [good, dead], [account]);
    const visitor = await open({ language });
    visitor.watch.allow(/^403 POST \/api\/v1\/ops\/command-executions\//);
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    const say = view.say.bind(view);
    await signIn(visitor, person, '/ui/command-executions');
    await page.getByRole('searchbox').fill('server');
    for (const { name } of [good, dead]) {
      await page.getByRole('checkbox', { name: new RegExp(name) }).focus();
      await page.keyboard.press('Space');
    }
    await page.getByText(say(batch.selected, { count: 2 })).waitFor();
    await page.getByRole('textbox', { name: say(batch.command) }).focus();
    await page.keyboard.type('echo "sum $((40+2))"');
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog', { name: say(batch.runTitle) });
    await dialog
      .getByText(
        say(batch.runQuestion, {
          count: 2,
          account: `${account.name}(${sshd.username})`,
          command: 'echo "sum $((40+2))"',
        }),
      )
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('sum 42').waitFor();
    const rerun = page.getByRole('button', { name: say(batch.rerunFailed, { count: 1 }) });
    await rerun.waitFor();
    expect(await problemsOf(page, 'batch command')).toEqual([]);

    // Only what failed; the tabs are moved through by arrows.
    await page.getByRole('tab', { name: new RegExp(good.name) }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('tabpanel', { name: new RegExp(dead.name) }).waitFor();
    await page
      .getByRole('radiogroup', { name: say(batch.show) })
      .getByText(say(batch.failed))
      .click();
    await page.getByRole('tab', { name: new RegExp(good.name) }).waitFor({ state: 'detached' });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: say(transfer.saveCsv) }).click(),
    ]);
    expect(await readFile(await file.path(), 'utf8')).toContain('sum 42');
    const first = page.url();
    await rerun.focus();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: say(batch.run) }).press('Enter');
    await page.waitForURL((url) => url.href !== first);
    await page.getByText(say(batch.finishedOf, { done: 1, total: 1 })).waitFor();

    // The permission requires a fresh second factor: the page prompts for it, then runs the command
    // without another prompt.
    expect(
      (await admin.patch(`perms/asset-permissions/${rule.id}/`, { mfa_minutes: 5 })).status,
    ).toBe(200);
    const { body } = await new Client(admin.url).post<{ token: string }>('authentication/auth/', {
      username: person.username,
      password: person.password,
    });
    const { secret } = await enrolTotp(
      new Client(admin.url).with({ authorization: `Bearer ${body.token}` }),
      person.password,
    );
    const second = page.url();
    await rerun.press('Enter');
    await dialog.getByRole('button', { name: say(batch.run) }).press('Enter');
    await page.getByRole('dialog', { name: say(mfa.factorTitle) }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await problemsOf(page, 'second factor of a batch command', ['light'])).toEqual([]);
    await page.getByRole('textbox', { name: say(identity.code) }).fill(codeOf(secret));
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.href !== second);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText(say(batch.finishedOf, { done: 1, total: 1 })).waitFor();

    const guard = await open({ language });
    await signIn(guard, ADMIN, '/ui/audits/command-execution-log');
    await guard.page
      .getByRole('row')
      .filter({ hasText: 'sum' })
      .filter({ hasText: person.username })
      .first()
      .waitFor();
    await guard.page
      .getByRole('row')
      .filter({ hasText: 'sum' })
      .first()
      .getByRole('button')
      .first()
      .click();
    expect(await problemsOf(guard.page, 'command execution log')).toEqual([]);
    await guard.page.getByRole('link', { name: audits.taskLog[language] }).first().click();
    await guard.page.getByRole('log').getByText('$ echo "sum').waitFor();
    expect(await problemsOf(guard.page, 'log of a task')).toEqual([]);
    await guard.page.goto('/ui/ops/task/monitor');
    await guard.page
      .getByRole('region', { name: monitor.servers[language] })
      .getByText(monitor.alive[language])
      .waitFor();
    expect(await problemsOf(guard.page, 'running jobs')).toEqual([]);
  },
);

journey(
  'shows the sign-ins over time, and limits their list to a bar, by pointer, keys and table',
  async (open) => {
    const visitor = await open({ language, size: { width: 390, height: 844 } });
    const view = new ConsolePage(visitor);
    const { page } = visitor;
    await signIn(visitor, ADMIN, '/ui/audits/login-log');
    await view.row(ADMIN.username).first().waitFor();
    const bars = view.main.getByRole('listbox', { name: view.say(overTime.title) });
    const filled = bars.locator('[data-filled]').last();
    await filled.waitFor();
    expect(await problemsOf(page, 'sign-ins over time')).toEqual([]);
    const range = async () => {
      await page.waitForURL(/date_from=/);
      return new URL(page.url()).searchParams.get('date_from');
    };
    const reset = async () => {
      await view.button(overTime.whole).click();
      await page.waitForURL((url) => !url.searchParams.has('date_from'));
      await filled.waitFor();
    };

    await filled.click();
    const start = await range();
    await view.row(ADMIN.username).first().waitFor();
    await reset();

    // The last bar with rows is the bar of now; later bars of the day are empty.
    const place = await filled.evaluate((bar) =>
      [...(bar.parentElement?.children ?? [])].indexOf(bar),
    );
    await bars.focus();
    await page.keyboard.press('Home');
    for (let step = 0; step < place; step++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    expect(await range()).toBe(start);
    await reset();

    await view.main.getByText(view.say(common.asTable), { exact: true }).click();
    expect(await problemsOf(page, 'sign-ins over time as a table')).toEqual([]);
    await view.main.locator('details').getByRole('button').first().click();
    expect(await range()).toBe(start);
  },
);
