import { words } from '../../web/src/console/features/access/words.ts';
import { buildAsset, buildGranted, buildPermission, buildPerson } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useStage();

journey('an administrator sees who can reach a server and why, what a user can reach, and why somebody cannot', async (open, { admin, sshd }) => {
  const { person, asset, account, rule } = await buildGranted(admin, sshd);
  const stranger = await buildPerson(admin);
  const other = await buildAsset(admin, sshd);
  const ended = await buildPermission(admin, [person], [other], [account], {
    date_start: '2026-01-01 08:00:00 +0800',
    date_expired: '2026-01-02 08:00:00 +0800',
  });
  const visitor = await open({ language: 'en' });
  const { page } = visitor;
  const view = new ConsolePage(visitor);
  await signIn(visitor, ADMIN, `/ui/assets/assets/${asset.id}?activeTab=AssetAccess`);

  const reason = view.row(person.name);
  await reason.getByRole('link', { name: rule.name, exact: true }).waitFor();
  await reason.getByText(account.name, { exact: true }).waitFor();

  await view.choose(words.chooseUser, stranger.username);
  await view.main.getByText(view.say(words.no), { exact: true }).waitFor();
  const nearest = view.main.getByRole('listitem').filter({ hasText: 'It does not include this user' });
  await nearest.getByRole('link', { name: rule.name, exact: true }).waitFor();

  // From the user's side, by the link of the list.
  await reason.getByRole('link', { name: person.name, exact: true }).click();
  await view.heading.filter({ hasText: person.name }).waitFor();
  await page.getByRole('tab', { name: view.say(words.whatTitle), exact: true }).click();
  await view.row(asset.name).getByRole('link', { name: rule.name, exact: true }).waitFor();
  await view.choose(words.chooseAsset, other.name);
  const over = view.main.getByRole('listitem').filter({ hasText: 'It ended on' });
  await over.getByRole('link', { name: ended.name, exact: true }).waitFor();
  await view.choose(words.chooseAsset, asset.name);
  await view.main.getByText(view.say(words.yes), { exact: true }).waitFor();
});
