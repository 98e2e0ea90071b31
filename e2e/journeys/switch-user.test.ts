import { systemUser } from '@sallyport/contract';
import { expect } from 'vitest';
import { startSshd } from '../../server/src/testing/ssh/sshd.ts';
import { words } from '../../web/src/console/features/assets/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildAsset, buildPermission, buildPerson, buildSystemUser } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

journey(
  'opens a terminal as an account that is reached with su, whose password never appears',
  async (open, { admin, sshd }) => {
    // Brings a second account of this machine.
    const other = await startSshd();
    try {
      const [person, asset, source, account] = await Promise.all([
        buildPerson(admin),
        buildAsset(admin, sshd),
        buildSystemUser(admin, sshd),
        buildSystemUser(admin, other, { private_key: '', password: other.password }),
      ]);
      await buildPermission(admin, [person], [asset], [account]);

      const visitor = await open({ language });
      const { page } = visitor;
      const view = new ConsolePage(visitor);
      await signIn(visitor, ADMIN, `/ui/assets/system-users/${account.id}/update`);
      await view.unfold(words.signIn);
      await view.choose(systemUser.fields.su_from.label, source.name);
      await view.field(systemUser.fields.su_method.label).waitFor();
      expect(await problemsOf(page, 'system user that switches')).toEqual([]);
      await view.submit();
      await page.goto(`/ui/assets/system-users/${account.id}`);
      await view.main.getByRole('link', { name: source.name }).waitFor();

      const worker = await open({ language });
      await signIn(worker, person, '/luna/');
      const terminal = await connectTo(worker.page, language, asset);
      await terminal.ready();
      await terminal.run('echo "I am $(id -un)"');
      await terminal.shows(`I am ${other.username}`);
      expect(await terminal.text()).not.toContain(other.password);
    } finally {
      await other.stop();
    }
  },
);
