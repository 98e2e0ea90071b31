import { expect } from 'vitest';
import { until } from '../../server/src/testing/poll.ts';
import { words as statistics } from '../../web/src/console/features/home/statistics/words.ts';
import { words } from '../../web/src/console/features/home/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildGranted } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useOwnServer();

journey(
  'leads an administrator from each warning to its page, and fixes a weak setting',
  async (open, { admin, sshd }) => {
    const { rule } = await buildGranted(admin, sshd);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect(
      (await admin.patch(`perms/asset-permissions/${rule.id}/`, { date_expired: tomorrow })).status,
    ).toBe(200);

    const visitor = await open({ language: 'en' });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    const attention = view.main.getByRole('region', { name: view.say(words.attention) });
    await attention
      .getByRole('link', { name: '1 permission ends within 7 days', exact: true })
      .waitFor();
    const harden = view.main.getByRole('region', { name: view.say(words.harden) });
    await harden.getByText('Now: 6 characters', { exact: true }).waitFor();
    expect(await problemsOf(visitor.page, 'dashboard')).toEqual([]);

    await harden
      .getByRole('button', {
        name: `${view.say(words.turnOn)}: ${view.say(words.hardenLength)}`,
        exact: true,
      })
      .click();
    await view.dialog.getByRole('button', { name: view.say(words.turnOn), exact: true }).click();
    await harden.getByText('Now: 6 characters', { exact: true }).waitFor({ state: 'detached' });
    const { body } = await admin.get<{ security: Record<string, unknown> }>('settings/setting/');
    expect(body.security.SECURITY_PASSWORD_MIN_LENGTH).toBe(12);

    await attention.getByRole('link', { name: rule.name, exact: true }).click();
    await view.heading.filter({ hasText: rule.name }).waitFor();
  },
);

journey(
  'links the statistics of a week and a month to the sessions, users and assets that they count',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const worker = await open({ language: 'en' });
    await signIn(worker, person, '/luna/');
    await (await connectTo(worker.page, 'en', asset)).ready();
    const { body: total } = await admin.get<{ total_count_online_sessions: number }>(
      'index/?total_count=1',
    );

    // Each server tests itself; the result is on the page, and counts nowhere.
    await admin.patch('settings/setting/', { TERMINAL_CANARY_MINUTES: 1440 });
    await until(
      async () =>
        (await admin.get<{ canary_date: string | null }[]>('terminal/terminals/')).body.some(
          ({ canary_date: date }) => date !== null,
        ),
      'the self-test',
    );
    const visitor = await open({ language: 'en' });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await view.main
      .getByRole('region', { name: view.say(words.selfTests) })
      .getByText(/^OK/)
      .waitFor();
    const card = view.main.getByRole('link', { name: /Online sessions/ });
    await card.getByText(String(total.total_count_online_sessions), { exact: true }).waitFor();
    const region = view.main.getByRole('region', {
      name: view.say(statistics.statistics),
      exact: true,
    });
    // The numbers of the days, by the keyboard and as a table.
    const chart = region.getByRole('slider');
    await chart.focus();
    await expect.poll(() => chart.getAttribute('aria-valuenow')).toBe('6');
    await visitor.page.keyboard.press('Home');
    await expect.poll(() => chart.getAttribute('aria-valuenow')).toBe('0');
    await region.getByText(view.say(common.asTable), { exact: true }).click();
    await expect.poll(() => region.getByRole('row').count()).toBe(9);
    expect(await problemsOf(visitor.page, 'dashboard with its table')).toEqual([]);
    await region.getByText(view.say(statistics.month), { exact: true }).click();
    await view.main
      .getByRole('region', { name: view.say(statistics.topUsersMonth), exact: true })
      .waitFor();
    await expect.poll(() => region.getByRole('row').count()).toBe(32);

    // The most active user links to the sessions, including the running one.
    const top = view.main.getByRole('region', {
      name: view.say(statistics.topUsersMonth),
      exact: true,
    });
    await top
      .getByRole('listitem')
      .filter({ hasText: person.name })
      .getByRole('link', { name: '1 session this month', exact: true })
      .click();
    await view.row(person.name).filter({ hasText: asset.name }).waitFor();
    await visitor.page.goBack();
    // The recently active users.
    const ring = region.getByRole('region', { name: view.say(statistics.users), exact: true });
    await ring.getByRole('link').first().click();
    await view.row(person.name).waitFor();
    await visitor.page.goBack();
    await view.main
      .getByRole('link', { name: new RegExp(`${person.name}.* → ${asset.name}`) })
      .waitFor();
  },
);
