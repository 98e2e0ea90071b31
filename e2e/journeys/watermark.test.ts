import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { startMariadb } from '../../server/src/testing/databases/mariadb.ts';
import { startPrivateXrdp } from '../../server/src/testing/desktops/private-xrdp.ts';
import { startXvnc } from '../../server/src/testing/desktops/xvnc.ts';
import { problemsOf } from '../harness/axe.ts';
import {
  buildAsset,
  buildDatabase,
  buildDesktop,
  buildPermission,
  buildPerson,
  buildSystemUser,
  create,
  unique,
} from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { recordedSession } from '../harness/sessions.ts';
import { queryPage } from '../pages/query-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const { journey } = useOwnServer();

/** Returns true if the element, or its generated content, draws the watermark. */
const isMarked = (element: Locator, part?: '::after') =>
  element.evaluate(
    (node, pseudo) =>
      getComputedStyle(node, pseudo).backgroundImage.startsWith('url("data:image/png'),
    part,
  );

/**
 * Returns the shares of pixels with a color, and with that color under one letter of a strong
 * watermark. Letters that were drawn twice over the same pixels have another color.
 */
const sharesOf = (page: Page | Frame, color: readonly number[]) =>
  page.locator('canvas').evaluate((element, ground) => {
    const { width, height } = element as HTMLCanvasElement;
    const context = (element as HTMLCanvasElement).getContext('2d');
    const pixels = context?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray(0);
    const isNear = (at: number, wanted: readonly number[]) =>
      wanted.every((value, part) => Math.abs((pixels[at + part] ?? 0) - value) <= 2);
    const letter = ground.map((value) => value * 0.76 + 128 * 0.24);
    const twice = letter.map((value) => value * 0.76 + 128 * 0.24);
    const shares = { plain: 0, letter: 0, twice: 0 };
    for (let at = 0; at < pixels.length; at += 4) {
      if (isNear(at, ground)) shares.plain++;
      if (isNear(at, letter)) shares.letter++;
      if (isNear(at, twice)) shares.twice++;
    }
    return shares;
  }, color);

journey(
  'marks terminals, replays, file previews and query results, without a loss of selection',
  async (open, { admin, sshd }) => {
    const mariadb = await startMariadb();
    try {
      const password = 'Vault-Secret-81';
      mariadb.sql(`create user shopper@'%' identified by '${password}';
        grant all on shop.* to shopper@'%'`);
      const [person, asset] = await Promise.all([buildPerson(admin), buildAsset(admin, sshd)]);
      const account = await buildSystemUser(admin, sshd, { sftp_root: 'home' });
      await buildPermission(admin, [person], [asset], [account]);
      const target = { type: 'mariadb', host: mariadb.host, port: mariadb.port, password } as const;
      const { app } = await buildDatabase(admin, person, target);
      await mkdir(join(sshd.home, 'marked'), { mode: 0o777, recursive: true });
      await writeFile(join(sshd.home, 'marked', 'notes.txt'), 'first line\n', { mode: 0o666 });
      const visitor = await open({ language: 'en' });
      const { page } = visitor;
      await signIn(visitor, person, '/ui/');
      const unmarked = await connectTo(page, 'en', asset);
      await unmarked.ready();
      expect(await isMarked(unmarked.screen.locator('.xterm-screen'), '::after')).toBe(false);
      await unmarked.run('exit');

      const notices = { WATERMARK: 'strong' };
      expect((await admin.patch('settings/setting/', { notices })).status).toBe(200);
      const terminal = await connectTo(page, 'en', asset);
      await terminal.ready();
      const screen = terminal.screen.locator('.xterm-screen');
      expect(await isMarked(screen, '::after')).toBe(true);
      await terminal.run('echo marked-$((40 + 2))');
      await terminal.shows('marked-42');
      // The mouse reaches the text below the watermark.
      const box = await page.getByText('marked-42').last().boundingBox();
      await page.mouse.dblclick((box?.x ?? 0) + 4, (box?.y ?? 0) + 8);
      await expect
        .poll(() => terminal.screen.locator('.xterm-selection div').count())
        .toBeGreaterThan(0);
      const faults = await problemsOf(page, 'marked terminal');
      expect(faults.filter((fault) => fault.includes('xterm'))).toEqual([]);
      await terminal.run('exit');

      const guard = await open({ language: 'zh' });
      await signIn(guard, ADMIN, '/ui/');
      const id = await recordedSession(admin, `user_id=${person.id}&asset=${asset.name}`);
      await guard.page.goto(`/luna/replay/${id}`);
      const replayed = guard.page.locator('.xterm-screen');
      await replayed.waitFor();
      expect(await isMarked(replayed, '::after')).toBe(true);

      await page.goto(`/koko/elfinder/sftp/${asset.id}/`);
      const item = (name: string) => page.getByRole('button', { name, exact: true });
      await item('marked').click();
      await item('notes.txt').click();
      const text = page.getByRole('textbox', { name: /notes\.txt/ });
      expect([await text.inputValue(), await isMarked(text)]).toEqual(['first line\n', true]);

      await page.goto(`/luna/?type=database_app&login_to=${app.id}`);
      const query = queryPage(visitor);
      await query.editor.waitFor();
      await query.run('select 41 + 1 as answer');
      await query.cell('42').waitFor();
      expect(await isMarked(query.grid)).toBe(true);
      expect(await problemsOf(page, 'marked results')).toEqual([]);
    } finally {
      await mariadb.stop();
    }
  },
);

journey('draws the watermark into the pixels of VNC and RDP desktops', async (open, { admin }) => {
  expect(
    (await admin.patch('settings/setting/', { notices: { WATERMARK: 'strong' } })).status,
  ).toBe(200);
  const [xvnc, xrdp] = await Promise.all([startXvnc({ size: '640x480' }), startPrivateXrdp()]);
  try {
    const person = await buildPerson(admin);
    const { asset } = await buildDesktop(admin, person, xvnc);
    const protocols = { protocols: [`rdp/${xrdp.port}`], platform: 'Windows' };
    const windows = await buildAsset(admin, xrdp, protocols);
    const name = unique('account');
    const id = await create(admin, 'assets/system-users/', {
      name,
      username: 'plain',
      protocol: 'rdp',
      password: xrdp.passwords.plain,
      auto_push: false,
    });
    await buildPermission(admin, [person], [windows], [{ id, name }]);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    // Changes of the picture replace the letters below them, so letters never add up.
    await xvnc.fill('#993311');
    await signIn(visitor, person, `/luna/?login_to=${asset.id}`);
    await expect.poll(async () => (await sharesOf(page, [0x99, 0x33, 0x11])).letter).not.toBe(0);
    await xvnc.fill('#336699');
    await expect.poll(async () => (await sharesOf(page, [0x33, 0x66, 0x99])).letter).not.toBe(0);
    const { plain, letter, twice } = await sharesOf(page, [0x33, 0x66, 0x99]);
    expect(plain).toBeGreaterThan(10 * letter);
    expect(twice).toBe(0);

    await page.goto(`/luna/?login_to=${windows.id}`);
    const frame = () => page.frames().find((one) => one.url().endsWith('/luna/rdp/'));
    const inFrame = async () => {
      const desktop = frame();
      return desktop ? (await sharesOf(desktop, [0x20, 0x40, 0x60])).letter : 0;
    };
    await expect.poll(inFrame, { timeout: 60_000 }).toBeGreaterThan(50);
  } finally {
    await Promise.all([xvnc.stop(), xrdp.stop()]);
  }
});
