import { TERMINAL_SOCKET_PATH, WATCH_SOCKET_PATH } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as frame } from '../../web/src/console/base/words.ts';
import { buildGranted, buildPerson } from '../harness/build.ts';
import { useStage } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { trySocket } from '../harness/sockets.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useStage();

const SAID = {
  zh: { nothing: '还没有授权给您的资产，请联系管理员。', denied: '您没有权限使用该账号连接此资产。', notGranted: '您没有这台资产的授权，或它已不存在。' },
  en: {
    nothing: 'No asset is granted to you yet. Ask an administrator.',
    denied: 'You have no permission to connect to this asset with this account.',
    notGranted: 'This asset is not granted to you, or it no longer exists.',
  },
} as const;

journey(`a user without permission gets nothing: no page, no API, no socket, no terminal, no replay`, async (open, { admin, server, sshd }) => {
  // Somebody else has worked here, so there is something to be kept from this person.
  const { person: owner, asset, account } = await buildGranted(admin, sshd);
  const first = await open({ language });
  await signIn(first, owner, '/luna/');
  const terminal = await connectTo(first.page, language, asset);
  await terminal.ready();
  await terminal.run('exit');
  await terminal.notice.waitFor();
  const again = await connectTo(first.page, language, asset);
  await again.ready();
  const sessions = await admin.get<{ results: { id: string; is_finished: boolean }[] }>(`terminal/sessions/?limit=9&asset_id=${asset.id}`);
  const live = sessions.body.results.find((row) => !row.is_finished)?.id ?? '';
  const past = sessions.body.results.find((row) => row.is_finished)?.id ?? '';
  expect([live, past]).not.toContain('');

  const stranger = await buildPerson(admin);
  const visitor = await open({ language });
  const { page } = visitor;
  const view = new ConsolePage(visitor);
  await signIn(visitor, stranger);
  await page.getByText(SAID[language].nothing).waitFor();
  expect(await view.menu.getByRole('button', { name: view.say(frame.users), exact: true }).count()).toBe(0);
  expect(await view.menu.getByRole('button', { name: view.say(frame.terminal), exact: true }).count()).toBe(0);

  // Pages.
  for (const address of [
    'assets/assets',
    `assets/assets/${asset.id}`,
    'users/users',
    'perms/asset-permissions',
    'terminal/session',
    `terminal/sessions/${past}`,
  ]) {
    await page.goto(`/ui/${address}`);
    await page.getByText(view.say(frame.notFound)).waitFor();
    expect(new URL(page.url()).pathname).toBe('/ui/404');
  }

  // The interface behind them.
  const caller = await server.signIn(stranger);
  const refused = [
    'assets/assets/',
    `assets/assets/${asset.id}/`,
    `assets/system-users/${account.id}/`,
    'users/users/',
    'perms/asset-permissions/',
    'terminal/sessions/',
    'terminal/commands/',
    `terminal/sessions/${past}/replay/`,
    `terminal/sessions/${past}/replay/file/`,
    `terminal/sessions/${past}/replay/download/`,
  ];
  for (const path of refused) expect([path, (await caller.get(path)).status]).toEqual([path, 403]);
  expect((await caller.post('terminal/tasks/kill-session/', [live])).status).toBe(403);
  expect((await caller.get(`perms/users/assets/${asset.id}/system-users/`)).body).toEqual([]);

  // The sockets, with the cookies and the origin of the page.
  visitor.watch.allow(/WebSocket connection to .*\/ws\/watch\/.* failed/, /^403 GET \/ws\/watch\//);
  const terminalAnswer = await trySocket(page, TERMINAL_SOCKET_PATH, { type: 'connect', asset: asset.id, system_user: account.id, cols: 80, rows: 24 });
  expect(terminalAnswer.messages.at(-1)).toContain(SAID[language].denied);
  expect(terminalAnswer.messages).not.toContain('(bytes)');
  const watchAnswer = await trySocket(page, `${WATCH_SOCKET_PATH}?session=${live}`);
  expect(watchAnswer).toEqual({ opened: false, messages: [] });

  // The terminal window, by its address.
  const terminalWindow = await visitor.context.newPage();
  await terminalWindow.goto(`/luna/?login_to=${asset.id}`);
  await terminalWindow.getByText(SAID[language].notGranted).waitFor();

  // The replay, by its address.
  visitor.watch.allow(/^403 GET \/api\/v1\/terminal\//);
  const replayWindow = await visitor.context.newPage();
  await replayWindow.goto(`/luna/replay/${past}`);
  await replayWindow.getByRole('alert').first().waitFor();
  expect(await replayWindow.getByRole('button', { name: /Play|播放/ }).count()).toBe(0);

  // And the other one has noticed nothing.
  await again.run('echo undisturbed-$((40+2))');
  await again.shows('undisturbed-42');
});
