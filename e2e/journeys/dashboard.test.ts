import { expect } from 'vitest';
import { words } from '../../web/src/console/features/home/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildGranted } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useStage();

journey('an administrator sees what needs attention, goes to it, and makes a weak setting safe', async (open, { admin, sshd }) => {
  const { rule } = await buildGranted(admin, sshd);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  expect((await admin.patch(`perms/asset-permissions/${rule.id}/`, { date_expired: tomorrow })).status).toBe(200);

  const visitor = await open({ language: 'en' });
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, '/ui/dashboard');
  const attention = view.main.getByRole('region', { name: view.say(words.attention) });
  await attention.getByRole('link', { name: '1 permission ends within 7 days', exact: true }).waitFor();
  const harden = view.main.getByRole('region', { name: view.say(words.harden) });
  await harden.getByText('Now: 6 characters', { exact: true }).waitFor();
  expect(await problemsOf(visitor.page, 'dashboard')).toEqual([]);

  await harden.getByRole('button', { name: `${view.say(words.turnOn)}: ${view.say(words.hardenLength)}`, exact: true }).click();
  await view.dialog.getByRole('button', { name: view.say(words.turnOn), exact: true }).click();
  await harden.getByText('Now: 6 characters', { exact: true }).waitFor({ state: 'detached' });
  const { body } = await admin.get<{ security: Record<string, unknown> }>('settings/setting/');
  expect(body.security.SECURITY_PASSWORD_MIN_LENGTH).toBe(12);

  await attention.getByRole('link', { name: rule.name, exact: true }).click();
  await view.heading.filter({ hasText: rule.name }).waitFor();
});
