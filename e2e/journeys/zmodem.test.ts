import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say } from '@sallyport/contract';
import { expect } from 'vitest';
import type { Json } from '../../server/src/testing/client.ts';
import { requirePeers } from '../../server/src/testing/peers.ts';
import { words } from '../../web/src/terminal/zmodem/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildGranted } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

journey(
  'receives the file of sz and sends files to rz in a terminal, and cancels both',
  async (open, { admin, sshd }) => {
    requirePeers('lrzsz');
    const { person, asset } = await buildGranted(admin, sshd);
    const there = join(sshd.home, 'transfers');
    await mkdir(there, { recursive: true });
    await chmod(there, 0o777);
    const here = await mkdtemp(join(tmpdir(), 'sallyport-zmodem-'));
    const [down, up, more] = [randomBytes(700_000), randomBytes(500_001), Buffer.from('more')];
    await writeFile(join(there, 'down.bin'), down);
    await writeFile(join(here, 'up.bin'), up);
    await writeFile(join(here, '更多.txt'), more);
    try {
      const visitor = await open({ language });
      const { page } = visitor;
      // The dialog of the browser cannot be answered here, so the page downloads like others.
      await page.addInitScript(() => Reflect.deleteProperty(window, 'showSaveFilePicker'));
      await signIn(visitor, person, '/luna/');
      const terminal = await connectTo(page, language, asset);
      await terminal.ready();
      await terminal.run(`cd ${there}; clear`);
      const dialog = page.getByRole('dialog', {
        name: say(words.title, language, { name: asset.name }),
      });
      const button = (text: keyof typeof words) =>
        dialog.getByRole('button', { name: say(words[text], language), exact: true });

      await terminal.run('sz down.bin');
      await dialog.getByText('down.bin').waitFor();
      expect(await problemsOf(page, 'sz')).toEqual([]);
      const [file] = await Promise.all([
        page.waitForEvent('download', { timeout: 60_000 }),
        button('save').click(),
      ]);
      expect(file.suggestedFilename()).toBe('down.bin');
      expect(sha256(await readFile(await file.path()))).toBe(sha256(down));
      await dialog.waitFor({ state: 'detached' });
      await terminal.shows('down.bin');

      await terminal.run('clear; rz');
      await button('choose').waitFor();
      expect(await problemsOf(page, 'rz')).toEqual([]);
      await dialog
        .getByLabel(say(words.choose, language))
        .and(page.locator('input'))
        .setInputFiles([join(here, 'up.bin'), join(here, '更多.txt')]);
      await dialog.waitFor({ state: 'detached', timeout: 60_000 });
      expect(sha256(await readFile(join(there, 'up.bin')))).toBe(sha256(up));
      expect(await readFile(join(there, '更多.txt'))).toEqual(more);
      await terminal.run('echo af"t"er');
      await terminal.shows(/^after/m);

      // Escape and the button cancel, and the shell has its prompt again.
      await terminal.run('clear; rz');
      await button('choose').waitFor();
      await page.keyboard.press('Escape');
      await terminal.shows(/(?:cancelled|已取消)\][\s\S]*[$#] ?$/);
      await terminal.run('clear; sz down.bin; echo ended-$?');
      await dialog.getByText('down.bin').waitFor();
      await button('cancel').click();
      await terminal.shows('ended-');

      // A page that is loaded again cannot continue, and its shell can.
      await terminal.run('clear; rz');
      await button('choose').waitFor();
      await page.reload();
      await terminal.shows(/(?:cancelled|已取消)\][\s\S]*[$#] ?$/);
      await terminal.run('clear; echo re"load"ed');
      await terminal.shows(/^reloaded/m);

      const logged = async () => {
        const { body } = await admin.get<{ results: Json[] }>(
          `audits/ftp-logs/?asset=${asset.name}&limit=20`,
        );
        return body.results
          .map(({ filename, operate, is_success, sha256: digest }) => ({
            filename,
            operate,
            is_success,
            digest,
          }))
          .toSorted((one, other) => (String(one.filename) < String(other.filename) ? -1 : 1));
      };
      await expect.poll(logged, { timeout: 30_000 }).toEqual([
        { filename: 'down.bin', operate: 'Download', is_success: true, digest: sha256(down) },
        { filename: 'up.bin', operate: 'Upload', is_success: true, digest: sha256(up) },
        { filename: '更多.txt', operate: 'Upload', is_success: true, digest: sha256(more) },
      ]);
      await terminal.run('exit');
    } finally {
      await rm(here, { recursive: true, force: true });
    }
  },
);

journey('writes the file of sz to a place on the disk while it arrives', async (open, stage) => {
  requirePeers('lrzsz');
  const { person, asset } = await buildGranted(stage.admin, stage.sshd);
  const down = randomBytes(600_000);
  const there = join(stage.sshd.home, 'on-disk');
  await mkdir(there, { recursive: true });
  await chmod(there, 0o755);
  await writeFile(join(there, 'place.bin'), down, { mode: 0o644 });
  const visitor = await open({ language });
  const { page } = visitor;
  // The user chooses a place: here, a file of the page's own storage.
  await page.addInitScript(() => {
    const choose = async ({ suggestedName }: { readonly suggestedName: string }) =>
      (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
    Reflect.set(window, 'showSaveFilePicker', choose);
  });
  await signIn(visitor, person, '/luna/');
  const terminal = await connectTo(page, language, asset);
  await terminal.ready();
  await terminal.run(`clear; sz ${join(there, 'place.bin')}`);
  const dialog = page.getByRole('dialog', {
    name: say(words.title, language, { name: asset.name }),
  });
  await dialog.getByRole('button', { name: say(words.save, language), exact: true }).click();
  await dialog.waitFor({ state: 'detached', timeout: 60_000 });
  const digest = await page.evaluate(async () => {
    const handle = await (await navigator.storage.getDirectory()).getFileHandle('place.bin');
    const content = await (await handle.getFile()).arrayBuffer();
    const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', content));
    return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  });
  expect(digest).toBe(sha256(down));
  await terminal.shows('place.bin');
  await terminal.run('exit');
});
