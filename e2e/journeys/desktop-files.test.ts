import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import { expect } from 'vitest';
import { startPrivateXrdp } from '../../server/src/testing/desktops/private-xrdp.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildAsset, buildPermission, buildPerson, create, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useOwnServer();

const digestOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const contentOf = async (download: Download) => readFile(await download.path());

/** Offers a file to the desktop by dropping it on the picture. */
async function drop(page: Page, name: string, content: string): Promise<void> {
  const canvas = page.frameLocator('iframe[title]').locator('canvas');
  await canvas.evaluate(
    (element, [title, text]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text ?? ''], title ?? ''));
      for (const kind of ['dragover', 'drop'])
        element.dispatchEvent(
          new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }),
        );
    },
    [name, content],
  );
}

journey(
  'puts files into the drive of an RDP desktop and takes them out, by keyboard, in both languages',
  async (open, { admin }) => {
    await admin.patch('settings/setting/', { terminal: { TERMINAL_DESKTOP_DRIVE_SIZE: 1 } });
    const xrdp = await startPrivateXrdp();
    try {
      await xrdp.requireFuse('deputy');
      const [person, asset] = await Promise.all([
        buildPerson(admin),
        buildAsset(admin, xrdp, { protocols: [`rdp/${xrdp.port}`], platform: 'Windows' }),
      ]);
      const account = await create(admin, 'assets/system-users/', {
        name: unique('account'),
        username: 'deputy',
        protocol: 'rdp',
        password: xrdp.passwords.deputy,
        auto_push: false,
      });
      const rule = await buildPermission(admin, [person], [asset], [{ id: account, name: '' }], {
        actions: ['connect', 'upload_file', 'download_file'],
      });
      const visitor = await open({ language: 'en' });
      const { page } = visitor;
      await signIn(visitor, person, `/luna/?login_to=${asset.id}`);
      const button = page.getByRole('button', { name: 'Drive', exact: true });
      await button.focus();
      await page.keyboard.press('Enter');
      await page.getByText('No files.').waitFor();
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Upload files…' }).click(),
      ]);
      const content = randomBytes(200_000);
      await chooser.setFiles([
        { name: '资料 1.bin', mimeType: 'application/octet-stream', buffer: content },
      ]);
      const files = page.getByRole('list', { name: 'Drive' });
      await files.getByText('195 KiB').waitFor();
      const folder = 'thinclient_drives/bastion';
      expect(
        (await xrdp.onDesktop('deputy', `sha256sum '${folder}/资料 1.bin'`)).slice(0, 64),
      ).toBe(digestOf(content));
      await xrdp.onDesktop('deputy', `mkdir ${folder}/out && printf hello >${folder}/out/b.txt`);
      await files.getByRole('button', { name: 'out', exact: true }).click();
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        files.getByRole('button', { name: 'Download: b.txt' }).click(),
      ]);
      expect([saved.suggestedFilename(), (await contentOf(saved)).toString()]).toEqual([
        ...['b.txt', 'hello'],
      ]);
      expect(await problemsOf(page, 'drive of a desktop')).toEqual([]);
      await page.getByRole('button', { name: 'Leave the folder “out”' }).click();
      const [large] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Upload files…' }).click(),
      ]);
      await large.setFiles([
        { name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(2 ** 20) },
      ]);
      await page.getByText('The drive of this session has no space left').waitFor();
      await page.close();
      await expect.poll(() => xrdp.inside('pgrep -c -x xrdp')).toBe('1\n');

      const other = await open({ language: 'zh' });
      await signIn(other, person, `/luna/?login_to=${asset.id}`);
      const drive = other.page.getByRole('button', { name: '驱动器', exact: true });
      await drive.click();
      // A new session has a new folder.
      await other.page.getByText('没有文件。').waitFor();
      expect(await problemsOf(other.page, 'drive of a desktop in Chinese')).toEqual([]);
      await admin.patch(`perms/asset-permissions/${rule.id}/`, {
        actions: ['connect', 'download_file'],
      });
      await other.page.getByRole('button', { name: '上传文件…' }).waitFor({ state: 'detached' });
    } finally {
      await xrdp.stop();
    }
  },
);

journey(
  'transfers files between an RDP desktop and the page in both directions, and logs each',
  async (open, { admin }) => {
    const xrdp = await startPrivateXrdp();
    try {
      const [person, asset] = await Promise.all([
        buildPerson(admin),
        buildAsset(admin, xrdp, { protocols: [`rdp/${xrdp.port}`], platform: 'Windows' }),
      ]);
      const name = unique('account');
      const id = await create(admin, 'assets/system-users/', {
        name,
        username: 'plain',
        protocol: 'rdp',
        password: xrdp.passwords.plain,
        auto_push: false,
      });
      const rule = await buildPermission(admin, [person], [asset], [{ id, name }], {
        actions: ['connect', 'upload_file', 'download_file'],
      });
      const visitor = await open({ language: 'en' });
      const { page } = visitor;
      await signIn(visitor, person, `/luna/?login_to=${asset.id}`);
      const files = page.getByRole('button', { name: 'Files', exact: true });
      await files.click();
      await page.getByText('Copy files on the desktop to see them here.').waitFor();

      await xrdp.inside(
        'head -c 600000 /dev/urandom >/home/plain/report.bin; printf hello >/home/plain/资料.txt',
      );
      await xrdp.onDesktop(
        'plain',
        `printf 'copy\\nfile:///home/plain/report.bin\\nfile:///home/plain/%s' 资料.txt | xclip -selection clipboard -t x-special/gnome-copied-files >/dev/null 2>&1`,
      );
      const offered = page.getByRole('region', { name: 'Files from the desktop' });
      await offered.getByText('586 KiB').waitFor();
      expect(await problemsOf(page, 'files of a desktop')).toEqual([]);
      const [first] = await Promise.all([
        page.waitForEvent('download'),
        offered.getByRole('button', { name: 'Download: report.bin' }).click(),
      ]);
      expect(first.suggestedFilename()).toBe('report.bin');
      const report = await contentOf(first);
      expect(digestOf(report)).toBe(
        (await xrdp.inside('sha256sum /home/plain/report.bin')).slice(0, 64),
      );
      const [second] = await Promise.all([
        page.waitForEvent('download'),
        offered.getByRole('button', { name: 'Download: 资料.txt' }).click(),
      ]);
      expect([second.suggestedFilename(), (await contentOf(second)).toString()]).toEqual([
        '资料.txt',
        'hello',
      ]);

      const content = randomBytes(300_000);
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Choose files…' }).click(),
      ]);
      await chooser.setFiles([
        { name: 'to-desktop.bin', mimeType: 'application/octet-stream', buffer: content },
      ]);
      await page
        .getByText('The files are on the desktop’s clipboard. Paste them on the desktop.')
        .waitFor();
      const transfers = page.getByRole('region', { name: 'File transfers' });
      const uploaded = transfers.getByRole('listitem').filter({ hasText: 'to-desktop.bin' });
      await uploaded.getByText('Waiting to be pasted on the desktop').waitFor();
      const onClipboard = (what: string) =>
        xrdp
          .onDesktop('plain', `timeout 5 xclip -selection clipboard -o -t ${what}`)
          .catch(() => '');
      await xrdp.requireFuse('plain');
      await expect
        .poll(() => onClipboard('x-special/gnome-copied-files'))
        .toContain('to-desktop.bin');
      const path =
        /file:\/\/(\S*to-desktop\.bin)/.exec(
          await onClipboard('x-special/gnome-copied-files'),
        )?.[1] ?? '';
      expect((await xrdp.onDesktop('plain', `sha256sum '${decodeURI(path)}'`)).slice(0, 64)).toBe(
        digestOf(content),
      );
      await uploaded.getByText('Done').waitFor();

      await drop(page, 'dropped.txt', 'dropped');
      const dropped = transfers.getByRole('listitem').filter({ hasText: 'dropped.txt' });
      await dropped.getByText('Waiting to be pasted on the desktop').waitFor();
      await dropped.getByRole('button', { name: 'Cancel: dropped.txt' }).click();
      await dropped.getByText('Canceled').waitFor();

      const logged = async () => {
        const { body } = await admin.get<{
          results: { filename: string; operate: string; size: number; is_success: boolean }[];
        }>(`audits/ftp-logs/?asset=${asset.name}&limit=20`);
        return body.results
          .map(({ filename, operate, size, is_success }) =>
            [operate, filename, size, is_success].join(),
          )
          .sort();
      };
      const expected = [
        ['Download', 'report.bin', 600_000, true],
        ['Download', '资料.txt', 5, true],
        ['Upload', 'to-desktop.bin', 300_000, true],
      ];
      await expect.poll(logged).toEqual(expected.map((row) => row.join()).sort());

      // A returning user sees the same desktop; controls without a right disappear at once.
      await page.close();
      // The file programs of xrdp serve one connection at a time: the first one has to end.
      await expect.poll(() => xrdp.inside('pgrep -c -x xrdp')).toBe('1\n');
      const other = await open({ language: 'zh' });
      const again = other.page;
      await signIn(other, person, `/luna/?login_to=${asset.id}`);
      const button = again.getByRole('button', { name: '文件', exact: true });
      await button.click();
      await again.getByRole('region', { name: '发送到桌面的文件' }).waitFor();
      expect(await problemsOf(again, 'files of a desktop in Chinese')).toEqual([]);
      await admin.patch(`perms/asset-permissions/${rule.id}/`, {
        actions: ['connect', 'download_file'],
      });
      await again.getByRole('region', { name: '发送到桌面的文件' }).waitFor({ state: 'detached' });
      await again.getByRole('region', { name: '来自桌面的文件' }).waitFor();
      await admin.patch(`perms/asset-permissions/${rule.id}/`, { actions: ['connect'] });
      await button.waitFor({ state: 'detached' });
    } finally {
      await xrdp.stop();
    }
  },
);
