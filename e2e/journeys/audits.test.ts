import { loginLog, operateLog, passwordChangeLog, RESOURCES } from '@sallyport/contract';
import pg from 'pg';
import { expect } from 'vitest';
import { words as audits } from '../../web/src/console/pages/audits/words.ts';
import { words as frame } from '../../web/src/console/words.ts';
import { buildPerson } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN, type Server } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useStage();

const ENTRY = { zh: '改密日志', en: 'Password update logs' } as const;
const CHAINED = ['operate_log', 'login_log', 'password_change_log'];

for (const language of ['zh', 'en'] as const) {
  journey(`a changed password is in its log, found by its filters, and the logs are proven whole (${language})`, async (open, { admin }) => {
    const [changed, other] = [await buildPerson(admin), await buildPerson(admin)];
    for (const { id } of [changed, other]) {
      const { status, text } = await admin.patch(`users/users/${id}/`, { password: 'another password of the journeys 2' });
      expect(status, text).toBe(200);
    }

    const visitor = await open({ language });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await view.open(frame.audits, ENTRY[language]);
    await view.page.getByRole('heading', { level: 1, name: ENTRY[language] }).waitFor();
    await view.row(`${changed.name}(${changed.username})`).first().getByText('Administrator(admin)').waitFor();
    await view.row(other.username).first().waitFor();

    await view.search(changed.username);
    await view.row(other.username).first().waitFor({ state: 'detached' });
    expect(await view.row(changed.username).count()).toBeGreaterThan(0);
    await view.main.getByRole('columnheader', { name: view.say(passwordChangeLog.fields.change_by.label), exact: true }).waitFor();

    await view.button(audits.verify).click();
    await view.dialog.getByText(view.say(audits.allIntact)).waitFor();
    for (const name of CHAINED) {
      const resource = RESOURCES.find((one) => one.name === name);
      if (!resource) throw new Error(`there is no ${name}`);
      await view.dialog
        .getByRole('row')
        .filter({ has: view.page.getByRole('cell', { name: view.say(resource.title), exact: true }) })
        .getByText(view.say(audits.intact), { exact: true })
        .waitFor();
    }
    await view.page.keyboard.press('Escape');
    await view.dialog.waitFor({ state: 'detached' });
  });
}

/** Changes the address in the first entry of the log of sign-ins past all that guards it; answers its number and what stood there. */
async function forge(server: Server, address: string): Promise<{ sequence: number; ip: string }> {
  const client = new pg.Client({ connectionString: server.databaseUrl });
  await client.connect();
  try {
    await client.query("set session_replication_role = 'replica'");
    const first = await client.query<{ sequence: string; ip: string }>('select sequence, ip from login_log order by sequence limit 1');
    await client.query('update login_log set ip = $1 where sequence = $2', [address, first.rows[0]?.sequence]);
    return { sequence: Number(first.rows[0]?.sequence), ip: first.rows[0]?.ip ?? '' };
  } finally {
    await client.end();
  }
}

journey('a forged entry is told by its number; a proof that cannot be had says so', async (open, { server }) => {
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

  visitor.watch.allow(/^failed POST \/api\/v1\/audits\/verify\//);
  await visitor.context.setOffline(true);
  await view.button(audits.verifyAgain).click();
  await view.dialog.getByText(view.say(audits.verifyFailed)).waitFor();
  await visitor.context.setOffline(false);
});

journey('an auditor of the installation may ask for the proof', async (open, { admin }) => {
  const person = await buildPerson(admin, { role: 'Auditor' });
  const visitor = await open({ language: 'en' });
  const view = new ConsolePage(visitor);
  await signIn(visitor, person, '/ui/audits/password-change-log');
  await view.page.getByRole('heading', { level: 1, name: ENTRY.en }).waitFor();
  await view.button(audits.verify).click();
  await view.dialog.getByText(view.say(audits.allIntact)).waitFor();
});
