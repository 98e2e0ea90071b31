import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'vitest';
import { problemsOf } from '../harness/axe.ts';
import { buildAsset, buildGranted, buildPermission, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo, TerminalPage } from '../pages/terminal-page.ts';

const { journey } = useOwnServer({ ssh: true });

journey(
  'restores tabs with their shells after a reload, and gives the reason when a shell has ended',
  async (open, { admin, sshd }) => {
    const { person, asset, account } = await buildGranted(admin, sshd);
    const other = await buildAsset(admin, sshd);
    await buildPermission(admin, [person], [other], [account]);
    const sessions = async () =>
      (await admin.get<unknown[]>(`terminal/sessions/?user_id=${person.id}`)).body.length;
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    page.on('dialog', (dialog) => void dialog.accept());
    await signIn(visitor, person, '/luna/');
    await (await connectTo(page, 'en', asset)).ready();
    await page.getByRole('treeitem', { name: other.name }).click();
    const terminal = new TerminalPage(page, 'en', other.name);
    await terminal.ready();
    await terminal.run('kept=$((40+2))');
    const before = await sessions();
    await page.reload();
    await page.getByRole('tab', { name: other.name, selected: true }).waitFor();
    await page.getByRole('tab', { name: asset.name }).waitFor();
    // The same shell with its previous screen.
    await terminal.shows('kept=$((40+2))');
    await terminal.ready();
    await terminal.run('echo "it is $kept"');
    await terminal.shows('it is 42');
    expect(await sessions()).toBe(before);
    await page.getByRole('tab', { name: asset.name }).click();
    await new TerminalPage(page, 'en', asset.name).ready();
    await page.getByRole('tab', { name: other.name }).click();
    // The shell ends while the page is closed.
    const { body: live } = await admin.get<{ id: string }[]>(
      `terminal/sessions/?user_id=${person.id}&asset_id=${other.id}&is_finished=false`,
    );
    await page.goto('about:blank');
    await admin.post(
      'terminal/tasks/kill-session/',
      live.map(({ id }) => id),
    );
    await page.goBack();
    // The tab shows the last screen and the reason for the end.
    await page
      .getByText('An administrator ended the session', { exact: true })
      .filter({ visible: true })
      .waitFor();
    await terminal.shows('it is 42');
    await page.getByRole('button', { name: 'Reconnect' }).click();
    await terminal.ready();
    expect(await sessions()).toBe(before + 1);
  },
);

journey(
  'reopens a closed tab with its live shell, and later with a new one',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(page, 'en', asset);
    await terminal.ready();
    await terminal.run('kept=$((40+2))');
    await page.keyboard.press('Control+Shift+KeyX');
    await page.getByRole('tab').waitFor({ state: 'detached' });
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('tab', { name: asset.name }).waitFor();
    await terminal.ready();
    await terminal.run('echo kept-$kept');
    await terminal.shows('kept-42');

    await page.keyboard.press('Control+Shift+KeyX');
    await page.getByText('Tab closed').waitFor();
    // The session ends when it is too late to undo.
    await page.getByText('Tab closed').waitFor({ state: 'detached' });
    const live = async () =>
      (await admin.get<unknown[]>(`terminal/sessions/?user_id=${person.id}&is_finished=false`)).body
        .length;
    await expect.poll(live).toBe(0);
    await page.keyboard.press('Control+Shift+KeyZ');
    await terminal.ready();
  },
);

journey(
  'shows the seconds of a connection attempt, and cancels it on the server',
  async (open, { admin, sshd }) => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const { person, account } = await buildGranted(admin, sshd);
    const asset = await buildAsset(admin, {
      host: sshd.host,
      port: address !== null && typeof address === 'object' ? address.port : 0,
    });
    await buildPermission(admin, [person], [asset], [account]);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    await signIn(visitor, person, '/luna/');
    const connected = once(silent, 'connection');
    await connectTo(page, 'en', asset);
    const [socket] = (await connected) as [import('node:net').Socket];
    const closed = once(socket.resume(), 'close');
    await page.getByText(/^[1-9] s$/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Connection canceled').waitFor();
    await closed;
    silent.close();
  },
);

journey(
  'shows a dark terminal on a light page until another scheme is chosen, here and in other browsers',
  async (open, { admin, sshd }) => {
    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en', theme: 'light' });
    const { page } = visitor;
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(page, 'en', asset);
    await terminal.ready();
    const colors = () =>
      page.evaluate(() => {
        const [pane, letters] = ['section[role="tabpanel"]', '.xterm-rows'].map((part) =>
          document.querySelector(part),
        );
        return [
          pane && getComputedStyle(pane).backgroundColor,
          letters && getComputedStyle(letters).color,
        ];
      });
    await expect.poll(colors).toEqual(['rgb(11, 18, 32)', 'rgb(214, 222, 235)']);
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('radio', { name: 'Sepia' }).check();
    await expect.poll(colors).toEqual(['rgb(246, 239, 225)', 'rgb(61, 52, 39)']);
    await page.getByRole('combobox', { name: 'Line height' }).selectOption('1.3');
    await page.getByRole('combobox', { name: 'Cursor shape' }).selectOption('bar');
    await page.keyboard.press('Escape');
    await page.locator('.xterm-helper-textarea:focus').waitFor({ state: 'attached' });
    await page.locator('.xterm-cursor-bar').waitFor({ state: 'attached' });
    await expect
      .poll(() =>
        page.evaluate(
          async () => (await (await fetch('/api/v1/users/preferences/')).json()).terminal,
        ),
      )
      .toMatchObject({ scheme: 'sepia', lineHeight: 1.3, cursorStyle: 'bar' });
    const other = await open({ language: 'en', theme: 'light' });
    await signIn(other, person, '/luna/');
    await (await connectTo(other.page, 'en', asset)).ready();
    await other.page.locator('.xterm-cursor-bar').waitFor({ state: 'attached' });
    await other.page.getByRole('button', { name: 'Settings', exact: true }).click();
    await other.page.getByRole('radio', { name: 'Sepia', checked: true }).waitFor();
  },
);

journey(
  'shows terminals side by side, types into all on request, and restores them after a reload',
  async (open, { admin, sshd }) => {
    const { person, asset, account } = await buildGranted(admin, sshd);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    page.on('dialog', (dialog) => void dialog.accept());
    await signIn(visitor, person, '/luna/');
    await (await connectTo(page, 'en', asset)).ready();
    await page.keyboard.press('Control+Shift+KeyS');
    const [left, right] = [0, 1].map((index) =>
      page.locator('[role="tabpanel"]:visible').nth(index),
    );
    if (!left || !right) throw new Error('no panes');
    const shows = async (pane: typeof left, text: RegExp) =>
      expect.poll(() => pane.locator('.xterm-rows').textContent()).toMatch(text);
    await shows(right, /[$#]\s*$/);
    await right.locator('.xterm-helper-textarea:focus').waitFor({ state: 'attached' });
    await page.keyboard.type('echo only-$((40+2))\n');
    await shows(right, /only-42/);
    await page.keyboard.press('Control+Shift+KeyA');
    await page
      .getByRole('button', { name: /^Type into all terminals shown/, pressed: true })
      .waitFor();
    await right.getByText('Input goes to all terminals shown').waitFor();
    await left.getByText('Input goes to all terminals shown').waitFor();
    await page.keyboard.type('echo both-$((50+5))\n');
    await shows(right, /both-55/);
    await shows(left, /both-55/);
    expect(await left.textContent()).not.toContain('only-42');
    // The pane that is clicked has the keyboard.
    await left.getByRole('group').click();
    await page.getByRole('tab', { name: new RegExp(`${asset.name}$`), selected: true }).waitFor();
    await page.keyboard.press('Control+Shift+KeyA');
    await left.getByText('Input goes to all terminals shown').waitFor({ state: 'detached' });
    await page.keyboard.type('echo left-$((60+6))\n');
    await shows(left, /left-66/);
    expect(await right.textContent()).not.toContain('left-66');
    await page.reload();
    await shows(left, /left-66/);
    await shows(right, /only-42/);
    await page.getByRole('tab', { name: new RegExp(`${asset.name}$`) }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Open in SSH client…' }).click();
    const client = page.getByRole('dialog', { name: 'Open in an SSH client' });
    const login = `${person.username}@${account.name}@${asset.name}`;
    await client.getByText(`${login}@`).waitFor();
    expect(await client.getByRole('link').getAttribute('href')).toMatch(
      new RegExp(`^ssh://${encodeURIComponent(login)}@`),
    );
    await client.getByRole('button', { name: 'Cancel' }).click();
    await client.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: new RegExp(`${asset.name}$`) }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Show alone' }).click();
    await right.waitFor({ state: 'detached' });
  },
);

journey(
  'stores, searches, fills in and inserts a snippet, presses Enter only on request, and applies filters',
  async (open, { admin, sshd }) => {
    const { person, asset, account } = await buildGranted(admin, sshd);
    const filter = (
      await admin.post<{ id: string }>('assets/cmd-filters/', {
        name: unique('filter'),
        system_users: [account.id],
      })
    ).body;
    expect(
      (await admin.post(`assets/cmd-filters/${filter.id}/rules/`, { content: 'forbidden' })).status,
    ).toBe(201);
    const visitor = await open({ language: 'en' });
    const { page } = visitor;
    await signIn(visitor, person, '/luna/');
    const terminal = await connectTo(page, 'en', asset);
    await terminal.ready();
    await page.keyboard.press('Control+Shift+KeyL');
    const dialog = page.getByRole('dialog', { name: 'Snippets' });
    const search = dialog.getByRole('combobox');
    const add = async (name: string, content: string) => {
      await dialog.getByRole('button', { name: 'New snippet' }).click();
      // By role: the label of the search contains both words.
      await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
      await dialog.getByRole('textbox', { name: 'Text' }).fill(content);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('option', { name }).waitFor();
    };
    await add('Greeting', 'echo "hello-{{who}}-$((40+2))"\n');
    await add('Denied', 'forbidden --now');
    await add('Several', 'echo first\necho second');

    // Found by its letters, chosen with Enter; filled in, shown, inserted, and nothing runs.
    await search.fill('gree');
    await expect.poll(() => dialog.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    await dialog.getByLabel('who').fill('you');
    await dialog.getByText('echo "hello-you-$((40+2))"').waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await terminal.shows('echo "hello-you-$((40+2))"');
    // The keyboard comes back to the terminal.
    await page.locator('.xterm-helper-textarea:focus').waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await terminal.shows('hello-you-42');
    // The next line is one of the prompt, not typed ahead.
    await terminal.ready();

    await page.keyboard.press('Control+Shift+KeyL');
    await search.fill('deni');
    await expect.poll(() => dialog.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Insert and press Enter' }).click();
    await terminal.shows('does not allow this: forbidden');
    const denied = async () =>
      (
        await admin.get<{ input: string }[]>(
          `terminal/commands/?is_denied=true&user=${encodeURIComponent(`${person.name}(${person.username})`)}`,
        )
      ).body;
    await expect
      .poll(async () => (await denied()).map(({ input }) => input))
      .toEqual(['forbidden --now']);

    await page.keyboard.press('Control+Shift+KeyL');
    await search.fill('sever');
    await expect.poll(() => dialog.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    await dialog.getByText('2 lines: each line but the last').waitFor();
    expect(await problemsOf(page, 'snippet with several lines')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await search.waitFor();
    expect(await problemsOf(page, 'snippets')).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete Several' }).click();
    await page
      .getByRole('dialog')
      .last()
      .getByRole('button', { name: 'Delete', exact: true })
      .click();
    await dialog.getByRole('option', { name: 'Several' }).waitFor({ state: 'detached' });
    await expect.poll(() => dialog.getByRole('option').count()).toBe(2);
  },
);
