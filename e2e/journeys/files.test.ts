import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import { problemsOf } from '../harness/axe.ts';
import { buildAsset, buildPermission, buildPerson, buildSystemUser } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useStage();

/** Makes an empty folder into which all accounts write; an earlier attempt may have left one. */
async function makeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await mkdir(path);
  await chmod(path, 0o777);
}

/** Drops files of the desktop on a part of the page. */
async function drop(
  page: Page,
  target: Locator,
  files: readonly (readonly [name: string, text: string])[],
): Promise<void> {
  const dropped = await page.evaluateHandle((given) => {
    const transfer = new DataTransfer();
    for (const [name, text] of given) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  await target.dispatchEvent('dragover', { dataTransfer: dropped });
  await target.dispatchEvent('drop', { dataTransfer: dropped });
}

journey(
  'browses, uploads, changes, edits and downloads files, starting from My assets',
  async (open, { admin, sshd }) => {
    const [person, asset] = await Promise.all([buildPerson(admin), buildAsset(admin, sshd)]);
    const account = await buildSystemUser(admin, sshd, { sftp_root: 'home' });
    await buildPermission(admin, [person], [asset], [account]);
    const folder = join(sshd.home, 'work');
    await makeFolder(folder);
    await writeFile(join(folder, 'notes.txt'), 'first line\n', { mode: 0o666 });
    await chmod(join(folder, 'notes.txt'), 0o666);
    await writeFile(join(folder, 'two\nlines.txt'), 'x');

    const visitor = await open({ language: 'en' });
    // An existing name, and a text that another user has changed.
    visitor.watch.allow(/^409 PUT .*\/(uploads|text)\//);
    await signIn(visitor, person, '/ui/');
    const row = visitor.page.getByRole('row').filter({ hasText: asset.name });
    await row.getByRole('button', { name: /^More/ }).click();
    const page = await visitor.windowFrom(() =>
      visitor.page.getByRole('menuitem', { name: 'File manager' }).click(),
    );
    const list = page.getByRole('grid');
    const item = (name: string) =>
      list.getByRole('row').filter({ has: page.getByRole('button', { name, exact: true }) });
    await item('work').waitFor();
    await item('work').getByRole('button', { name: 'work', exact: true }).click();
    await item('notes.txt').waitFor();
    await item('two⏎lines.txt').waitFor();
    expect(await problemsOf(page, 'file manager')).toEqual([]);

    // A drop of three files: one exists already, and one upload completes without its answer
    // reaching the browser.
    visitor.watch.allow(/^failed .*\/uploads\//);
    const answerIsLost = async (route: Route) => {
      await route.fetch({ postData: Buffer.from('whole') });
      await route.abort();
    };
    await page.route(/\/uploads\/.*whole\.txt/, answerIsLost, { times: 1 });
    await drop(page, list, [
      ['fresh.txt', 'fresh'],
      ['notes.txt', 'replaced\n'],
      ['whole.txt', 'whole'],
    ]);
    const question = page.getByRole('dialog', { name: 'The file already exists' });
    await question.getByRole('button', { name: 'Keep both' }).click();
    await item('notes (2).txt').waitFor();
    await item('fresh.txt').waitFor();
    await item('whole.txt').waitFor();
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('first line\n');
    expect(await readFile(join(folder, 'notes (2).txt'), 'utf8')).toBe('replaced\n');

    // A folder with everything in it.
    const here = await mkdtemp(join(tmpdir(), 'sallyport-upload-'));
    try {
      await mkdir(join(here, 'photos/deep'), { recursive: true });
      await writeFile(join(here, 'photos/one.txt'), 'one');
      await writeFile(join(here, 'photos/deep/two.txt'), 'x'.repeat(3_000_000));
      await page.getByLabel('Upload a folder…').setInputFiles(join(here, 'photos'));
      await page.getByText('5 files uploaded').waitFor();
    } finally {
      await rm(here, { recursive: true, force: true });
    }
    await item('photos').waitFor();
    expect((await readFile(join(folder, 'photos/deep/two.txt'))).length).toBe(3_000_000);
    await page.getByRole('button', { name: 'Close list' }).click();

    // With the keyboard: the list has the focus, F2 renames, Delete deletes.
    await item('fresh.txt').click({ position: { x: 250, y: 18 } });
    await list.press('F2');
    const field = page.getByRole('textbox', { name: 'Name' });
    // With the focus comes a selection, which leaves the ending of the name.
    await field.and(page.locator(':focus')).waitFor();
    await field.fill('renamed.txt');
    await page.keyboard.press('Enter');
    await item('renamed.txt').waitFor();
    await item('renamed.txt').click({ position: { x: 250, y: 18 } });
    await list.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await item('renamed.txt').waitFor({ state: 'detached' });
    expect((await readdir(folder)).sort()).toEqual([
      'notes (2).txt',
      'notes.txt',
      'photos',
      'two\nlines.txt',
      'whole.txt',
    ]);

    // Cut here, paste in the folder.
    await item('notes (2).txt').click({ position: { x: 250, y: 18 } });
    await list.press('Control+x');
    await item('photos').getByRole('button', { name: 'photos', exact: true }).click();
    await item('one.txt').waitFor();
    await list.press('Control+v');
    await item('notes (2).txt').waitFor();
    await list.press('Backspace');
    await item('notes.txt').waitFor();

    // Another user changes the text during the edit.
    await item('notes.txt').getByRole('button', { name: 'notes.txt', exact: true }).click();
    const text = page.getByRole('textbox', { name: 'Content of notes.txt' });
    await text.fill('edited\n');
    await writeFile(join(folder, 'notes.txt'), 'somebody else was here\n');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The file has changed on the server').waitFor();
    expect(await problemsOf(page, 'conflict')).toEqual([]);
    await page.getByRole('button', { name: 'Overwrite' }).click();
    await expect.poll(() => readFile(join(folder, 'notes.txt'), 'utf8')).toBe('edited\n');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await text.waitFor({ state: 'detached' });

    // One file as it is, a folder as an archive.
    await item('notes.txt').click({ button: 'right' });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download', exact: true }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('notes.txt');
    expect(await readFile(await file.path(), 'utf8')).toBe('edited\n');
    await item('photos').click({ button: 'right' });
    const [archive] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download as zip' }).click(),
    ]);
    expect(archive.suggestedFilename()).toBe('photos.zip');
    expect((await readFile(await archive.path())).subarray(0, 4).toString('latin1')).toBe(
      'PK\x03\x04',
    );

    await page.setViewportSize({ width: 390, height: 844 });
    await item('photos')
      .getByRole('button', { name: /^More actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Permissions' }).click();
    await page.getByRole('textbox', { name: 'Octal' }).fill('700');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await problemsOf(page, 'narrow file manager')).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      390,
    );
  },
);

journey(
  'continues an upload of a reloaded page when its user chooses the same file again',
  async (open, { admin, sshd }) => {
    const [person, asset] = await Promise.all([buildPerson(admin), buildAsset(admin, sshd)]);
    const folder = join(sshd.home, 'continued');
    await makeFolder(folder);
    const account = await buildSystemUser(admin, sshd, { sftp_root: folder });
    await buildPermission(admin, [person], [asset], [account]);
    const here = await mkdtemp(join(tmpdir(), 'sallyport-upload-'));
    try {
      const bytes = Buffer.alloc(5_000_000, 'the content of a large file\n');
      await writeFile(join(here, 'large.bin'), bytes);
      await writeFile(join(folder, 'large.bin'), 'the old file', { mode: 0o666 });
      const visitor = await open({ language: 'en' });
      visitor.watch.allow(/^409 PUT .*\/uploads\//);
      visitor.watch.allow(/^failed .*\/uploads\//);
      await signIn(visitor, person, '/ui/');
      const row = visitor.page.getByRole('row').filter({ hasText: asset.name });
      await row.getByRole('button', { name: /^More/ }).click();
      const page = await visitor.windowFrom(() =>
        visitor.page.getByRole('menuitem', { name: 'File manager' }).click(),
      );
      const choose = async () => {
        await page.getByRole('grid').getByRole('row').filter({ hasText: 'large.bin' }).waitFor();
        await page.getByLabel('Upload files…').setInputFiles(join(here, 'large.bin'));
      };
      // The network takes the first piece only.
      const later = /\/uploads\/.*&offset=[1-9]/;
      await page.route(later, (route) => route.abort());
      const second = page.waitForRequest(later);
      await choose();
      const question = page.getByRole('dialog', { name: 'The file already exists' });
      await question.getByRole('button', { name: 'Replace' }).click();
      await expect
        .poll(async () => (await readdir(folder)).some((name) => name.includes('sallyport')))
        .toBe(true);
      await second;
      await page.reload();
      await page.unroute(later);
      const offsets: string[] = [];
      page.on('request', (request) => {
        const offset = /\/uploads\/.*&offset=(\d+)/.exec(request.url())?.[1];
        if (offset !== undefined) offsets.push(offset);
      });
      await choose();
      await expect
        .poll(() => readFile(join(folder, 'large.bin')), { timeout: 20_000 })
        .toEqual(bytes);
      expect(offsets[0]).toBe('1048576');
      expect(await readdir(folder)).toEqual(['large.bin']);
    } finally {
      await rm(here, { recursive: true, force: true });
    }
  },
);

journey(
  'uploads files dropped on a terminal to a chosen folder, and gives the reason for a refusal',
  async (open, { admin, sshd }) => {
    const [person, asset, lesser] = await Promise.all([
      buildPerson(admin),
      buildAsset(admin, sshd),
      buildAsset(admin, sshd),
    ]);
    const old = await buildAsset(admin, sshd, { protocols: ['telnet/9'] });
    const account = await buildSystemUser(admin, sshd, { sftp_root: 'home' });
    const telnet = await buildSystemUser(admin, sshd, {
      protocol: 'telnet',
      login_mode: 'manual',
      private_key: undefined,
    });
    await buildPermission(admin, [person], [asset], [account]);
    await buildPermission(admin, [person], [lesser], [account], { actions: ['connect'] });
    await buildPermission(admin, [person], [old], [telnet]);
    const folder = join(sshd.home, 'dropped');
    await makeFolder(folder);
    await writeFile(join(folder, 'taken.txt'), 'as it was\n', { mode: 0o666 });

    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    visitor.watch.allow(/^409 PUT .*\/uploads\//);
    visitor.watch.allow(/^404 GET .*\/entries\//);
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(page, 'en', asset);
    await terminal.ready();
    const pane = (name: string) => page.getByRole('tabpanel', { name: new RegExp(name) });
    const dialog = (name: string) => page.getByRole('dialog', { name: `Upload to ${name}` });
    const target = (name: string) => dialog(name).getByRole('combobox', { name: 'Target folder' });

    // Two files, one of which exists already: both stay.
    await drop(page, pane(asset.name), [
      ['fresh.txt', 'fresh'],
      ['taken.txt', 'new\n'],
    ]);
    await dialog(asset.name)
      .getByRole('listitem')
      .filter({ hasText: 'fresh.txt' })
      .getByText('5 B')
      .waitFor();
    await target(asset.name).fill('/no-such-folder');
    await dialog(asset.name).locator('[aria-invalid="true"]').waitFor();
    expect(
      await dialog(asset.name).getByRole('button', { name: 'Upload', exact: true }).isDisabled(),
    ).toBe(true);
    await target(asset.name).fill('/dropped');
    await dialog(asset.name).getByText('1 name is already in this folder: taken.txt').waitFor();
    expect(await problemsOf(page, 'upload dialog')).toEqual([]);
    await dialog(asset.name)
      .getByRole('combobox', { name: 'If a file already exists' })
      .selectOption('Keep both');
    await dialog(asset.name).getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('2 files uploaded').waitFor();
    expect(await problemsOf(page, 'uploads of a terminal')).toEqual([]);
    expect((await readdir(folder)).sort()).toEqual(['fresh.txt', 'taken (2).txt', 'taken.txt']);
    expect(await readFile(join(folder, 'taken.txt'), 'utf8')).toBe('as it was\n');
    await page.getByRole('button', { name: 'Close list' }).click();
    await terminal.run('echo still-$((40+2))');
    await terminal.shows('still-42');

    // From the menu with the keyboard: it offers the folder of the last upload, and confirms only
    // when necessary.
    const menu = async (name: string) => {
      await page.getByRole('tab', { name: new RegExp(name) }).focus();
      await page.keyboard.press('Shift+F10');
      await page.getByRole('menuitem', { name: 'Upload files…' }).press('Enter');
    };
    await menu(asset.name);
    await dialog(asset.name)
      .getByLabel('Choose files…')
      .last()
      .setInputFiles({
        name: 'taken.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('replaced\n'),
      });
    await expect.poll(() => target(asset.name).inputValue()).toBe('/dropped');
    await dialog(asset.name).getByRole('button', { name: 'Upload', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'The file already exists' })
      .getByRole('button', { name: 'Replace' })
      .click();
    await page.getByText('1 file uploaded').waitFor();
    expect(await readFile(join(folder, 'taken.txt'), 'utf8')).toBe('replaced\n');

    // A permission without the action, and a protocol without files.
    await (await connectTo(page, 'en', lesser)).ready();
    await drop(page, pane(lesser.name), [['no.txt', 'no']]);
    await dialog(lesser.name).getByText('Your permission does not include: Upload file').waitFor();
    expect(
      await dialog(lesser.name).getByRole('button', { name: 'Upload', exact: true }).isDisabled(),
    ).toBe(true);
    await page.keyboard.press('Escape');
    await page.goto(`/luna/?login_to=${old.id}`);
    await page.getByRole('tab', { name: new RegExp(old.name) }).waitFor();
    await drop(page, pane(old.name), [['no.txt', 'no']]);
    await dialog(old.name).getByText('Telnet cannot transfer files').waitFor();
    expect(await problemsOf(page, 'refused upload')).toEqual([]);
    expect(await readdir(sshd.home)).not.toContain('no.txt');
  },
);

/** CPU seconds of a page while a folder of small files is uploaded. */
async function uploadsCpu(
  page: Page,
  list: Locator,
  folder: string,
  count: number,
): Promise<number> {
  const browser = await page.context().newCDPSession(page);
  // Time on the processor; the default is elapsed time, which other programs of the machine change.
  await browser.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => {
    const { metrics } = await browser.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  };
  const before = await spent();
  const files = Array.from({ length: count }, (_, index) => [`${count}-${index}`, 'x'] as const);
  await drop(page, list, files);
  await expect.poll(async () => (await readdir(folder)).length, { timeout: 120_000 }).toBe(count);
  await page.getByText(`${count} files uploaded`).waitFor();
  const cpu = (await spent()) - before;
  await page.getByRole('button', { name: 'Close list' }).click();
  return cpu;
}

journey(
  'uploads many small files with little more work of the page for each',
  async (open, { admin, sshd }) => {
    const [person, asset] = await Promise.all([buildPerson(admin), buildAsset(admin, sshd)]);
    const account = await buildSystemUser(admin, sshd, { sftp_root: 'home' });
    await buildPermission(admin, [person], [asset], [account]);
    const visitor = await open({ language: 'en' });
    await signIn(visitor, person, `/ui/`);
    const row = visitor.page.getByRole('row').filter({ hasText: asset.name });
    const costOf = async (count: number, round: number) => {
      const name = `many-${count}-${round}`;
      const folder = join(sshd.home, name);
      await makeFolder(folder);
      await row.getByRole('button', { name: /^More/ }).click();
      const page = await visitor.windowFrom(() =>
        visitor.page.getByRole('menuitem', { name: 'File manager' }).click(),
      );
      const list = page.getByRole('grid');
      await list.getByRole('button', { name, exact: true }).click();
      await list.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' });
      const cost = (await uploadsCpu(page, list, folder, count)) / count;
      await page.close();
      return cost;
    };
    // Other programs on the processor make work dearer, so the least of a few rounds counts.
    let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 3 && !(many / few < 2); round += 1) {
      few = Math.min(few, await costOf(50, round));
      many = Math.min(many, await costOf(500, round));
    }
    expect(many / few).toBeLessThan(2);
  },
);
