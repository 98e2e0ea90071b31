import { expect } from 'vitest';
import { buildGranted } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { sessionsPage } from '../pages/sessions-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

journey('an administrator watches a live session and cannot type into it', async (open, { admin, sshd }) => {
  const { person, asset } = await buildGranted(admin, sshd);
  const [visitor, guard] = [await open({ language }), await open({ language })];
  await signIn(visitor, person, '/luna/');
  const terminal = await connectTo(visitor.page, language, asset);
  await terminal.ready();
  await terminal.run('echo before-$((40+2))');
  await terminal.shows('before-42');

  await signIn(guard, ADMIN, '/ui/terminal/session');
  const watched = await sessionsPage(guard).watch(person.name, asset.name);
  const picture = watched.getByRole('main');
  // What was there before is there, too.
  await picture.getByText('before-42').waitFor();
  await terminal.run('echo after-$((50+5))');
  await picture.getByText('after-55').waitFor();

  await picture.click();
  await watched.keyboard.type('echo from-the-watcher\n');
  await terminal.run('echo only-$((60+6))');
  await terminal.shows('only-66');
  await picture.getByText('only-66').waitFor();
  expect(await terminal.text()).not.toContain('from-the-watcher');

  // It ends before the watcher's eyes, and can be replayed.
  await terminal.run('exit');
  await watched
    .getByRole('alert')
    .getByText(language === 'zh' ? '会话已结束' : 'The session has ended')
    .waitFor();
});
