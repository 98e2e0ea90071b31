import { REQUEST_FIELDS, say, TERMINAL_SOCKET_PATH, WATCH_SOCKET_PATH } from '@sallyport/contract';
import { expect } from 'vitest';
import { words as frame } from '../../web/src/console/base/words.ts';
import { words as emergency } from '../../web/src/console/features/emergency/words.ts';
import { words as home } from '../../web/src/console/features/home/words.ts';
import { words as decide } from '../../web/src/console/features/tickets/decide/words.ts';
import { words as requests } from '../../web/src/console/features/tickets/request/words.ts';
import { words as tickets } from '../../web/src/console/features/tickets/words.ts';
import { words as layout } from '../../web/src/console/layout/words.ts';
import { words as forms } from '../../web/src/console/resource/form/words.ts';
import { words as administrators } from '../../web/src/kit/access-request/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { words as steps } from '../../web/src/signin/steps/words.ts';
import { problemsOf } from '../harness/axe.ts';
import {
  buildAsset,
  buildGranted,
  buildPerson,
  buildSystemUser,
  unique,
} from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { addLicense } from '../harness/license.ts';
import { ADMIN } from '../harness/server.ts';
import { liveSession } from '../harness/sessions.ts';
import { trySocket } from '../harness/sockets.ts';
import { visit } from '../harness/visit.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn, signInPage } from '../pages/sign-in-page.ts';
import { connectTo, TerminalPage } from '../pages/terminal-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();

const SAID = {
  zh: {
    nothing: '还没有授权给您的资产，请联系管理员。',
    denied: '您没有权限使用该账号连接此资产。',
    notGranted: '您没有该资产的授权，或资产已不存在。',
  },
  en: {
    nothing: 'You have no access to any asset yet. Ask an administrator.',
    denied: 'You have no permission to connect to this asset with this account.',
    notGranted: 'You have no access to this asset, or it no longer exists.',
  },
} as const;

journey(
  'denies a user without permission every page, API, socket, terminal and replay',
  async (open, { admin, server, sshd }) => {
    // Another user has worked here, so this user must not see their session.
    const { person: owner, asset, account } = await buildGranted(admin, sshd);
    const first = await open({ language });
    await signIn(first, owner, '/luna/');
    const terminal = await connectTo(first.page, language, asset);
    await terminal.ready();
    await terminal.run('exit');
    await terminal.notice.waitFor();
    const again = await connectTo(first.page, language, asset);
    await again.ready();
    const live = await liveSession(admin, `asset_id=${asset.id}`);
    const sessions = await admin.get<{ results: { id: string; is_finished: boolean }[] }>(
      `terminal/sessions/?limit=9&asset_id=${asset.id}`,
    );
    const past = sessions.body.results.find((row) => row.is_finished)?.id ?? '';
    expect([live, past]).not.toContain('');

    const stranger = await buildPerson(admin);
    const visitor = await open({ language });
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    await signIn(visitor, stranger);
    await page.getByText(SAID[language].nothing).waitFor();
    expect(
      await view.menu.getByRole('button', { name: view.say(frame.people), exact: true }).count(),
    ).toBe(0);
    expect(
      await view.menu
        .getByRole('button', { name: view.say(frame.connections), exact: true })
        .count(),
    ).toBe(0);

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
    for (const path of refused)
      expect([path, (await caller.get(path)).status]).toEqual([path, 403]);
    expect((await caller.post('terminal/tasks/kill-session/', [live])).status).toBe(403);
    expect((await caller.get(`perms/users/assets/${asset.id}/system-users/`)).body).toEqual([]);

    // The sockets, with the cookies and the origin of the page.
    visitor.watch.allow(
      /WebSocket connection to .*\/ws\/watch\/.* failed/,
      /^403 GET \/ws\/watch\//,
    );
    const terminalAnswer = await trySocket(page, TERMINAL_SOCKET_PATH, {
      type: 'connect',
      asset: asset.id,
      system_user: account.id,
      cols: 80,
      rows: 24,
    });
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
    expect(await replayWindow.getByRole('button', { name: /Play|播放|Retry|重试/ }).count()).toBe(
      0,
    );

    // And the other one has noticed nothing.
    await again.run('echo undisturbed-$((40+2))');
    await again.shows('undisturbed-42');
  },
);

journey(
  'connects a user whose sign-in was confirmed after an administrator grants part of the request',
  async (open, { admin, server, sshd }) => {
    await addLicense(server, admin);
    const [asset, account, person] = await Promise.all([
      buildAsset(admin, sshd),
      buildSystemUser(admin, sshd),
      buildPerson(admin),
    ]);
    const boss = (await admin.get<{ id: string; name: string }>('users/profile/')).body;
    await admin.patch('settings/setting/', { security: { LOGIN_CONFIRM_ENABLE: true } });
    expect(
      (
        await admin.patch(`authentication/login-confirm-settings/${person.id}/`, {
          reviewers: [boss.id],
        })
      ).status,
    ).toBe(200);

    // The sign-in waits for the administrator, who finds it by the number in the header.
    const [asking, deciding] = [await open({ language }), await open({ language })];
    const [view, desk] = [new ConsolePage(asking), new ConsolePage(deciding)];
    await signIn(deciding, ADMIN);
    await signInPage(asking).open();
    await signInPage(asking).submit(person);
    await asking.page
      .getByRole('status')
      .getByText(view.say(steps.reviewWaits, { names: boss.name }))
      .waitFor();
    // Loading the page again keeps the sign-in and its ticket, and so does another language.
    await asking.page.reload();
    await asking.page
      .getByRole('status')
      .getByText(view.say(steps.reviewWaits, { names: boss.name }))
      .waitFor();
    const other = language === 'zh' ? 'en' : 'zh';
    for (const chosen of [other, language] as const) {
      await asking.page.getByRole('combobox', { name: /^(语言|Language)$/ }).selectOption(chosen);
      await asking.page
        .getByRole('status')
        .getByText(say(steps.reviewWaits, chosen, { names: boss.name }))
        .waitFor();
    }
    // The dashboard has a link with the same words.
    await deciding.page
      .locator('header')
      .getByRole('link', { name: desk.say(layout.ticketsWaiting, { count: 1 }) })
      .click();
    await desk.row(person.username).getByRole('link').first().click();
    await desk.button(decide.approve).click();
    await desk.notified(decide.approved);
    await asking.page.waitForURL((url) => !url.pathname.startsWith('/core/auth/'));

    // Nothing is granted, and the page leads to a request.
    await asking.page
      .getByRole('link', { name: view.say(administrators.request), exact: true })
      .click();
    await view.field(requests.need).fill(asset.name);
    await asking.page.getByRole('option', { name: asset.name }).click();
    await view.field(REQUEST_FIELDS.system_user.label).fill(account.name);
    await view.unfold(forms.moreOptions);
    await view.main.getByRole('checkbox').first().check();
    await view.button(requests.send).click();
    // A reason is needed.
    await view.field(REQUEST_FIELDS.body.label).fill('The nightly import failed');
    await view.button(requests.send).click();
    await view.main.getByText(view.say(requests.requested)).waitFor();

    // The administrator sees what would be opened, narrows it and grants it.
    await visit(deciding, '/ui/tickets/tickets?activeTab=AssignedTicketList');
    await desk.row(asset.name).getByRole('link').first().click();
    await desk.main.getByText('The nightly import failed').waitFor();
    await desk.button(decide.change).click();
    const all = desk.dialog.getByRole('checkbox').first();
    await all.uncheck();
    await desk.dialog.getByRole('checkbox').nth(1).check();
    await desk.dialog.getByRole('button', { name: desk.say(decide.approve), exact: true }).click();
    await desk.notified(decide.approved);
    await desk.button(decide.endNow).waitFor();
    const granted = (
      await admin.get<{ results: { actions: string[] }[] }>(
        `perms/asset-permissions/?limit=5&user_id=${person.id}`,
      )
    ).body.results;
    expect(granted.map(({ actions }) => actions)).toEqual([['connect']]);

    // The requester reads it without a reload, and works there.
    await view.main
      .getByText(view.say(tickets.ended, { who: `${boss.name}(admin)`, how: '' }).trim())
      .waitFor();
    await asking.page.goto('/ui/');
    const window = await asking.windowFrom(() =>
      view
        .row(asset.name)
        .getByRole('link', { name: view.say(home.connectTo, { name: asset.name }), exact: true })
        .click(),
    );
    await new TerminalPage(window, language, asset.name).ready();
    const [session] = (
      await admin.get<{ results: { id: string }[] }>(
        `terminal/sessions/?limit=1&asset_id=${asset.id}`,
      )
    ).body.results;
    expect(
      (
        await admin.get<{ requests: { name: string }[] }>(`terminal/sessions/${session?.id}/`)
      ).body.requests.map(({ name }) => name),
    ).toEqual([asset.name]);
    await admin.patch('settings/setting/', { security: { LOGIN_CONFIRM_ENABLE: false } });
  },
);

journey(
  'opens emergency access at once for a user, who is watched, and assigns the recording to another reviewer',
  async (open, { admin, server, sshd }) => {
    await addLicense(server, admin);
    const [asset, account, person] = await Promise.all([
      buildAsset(admin, sshd),
      buildSystemUser(admin, sshd),
      buildPerson(admin),
    ]);
    const boss = (await admin.get<{ id: string }>('users/profile/')).body;
    const rule = {
      name: unique('night'),
      users: [person.id],
      assets: [asset.id],
      system_users: [account.id],
      reviewers: [boss.id],
      max_minutes: 30,
    };
    expect((await admin.post('perms/emergency-access/', rule)).status).toBe(201);
    const problems: string[] = [];

    // Others have no such button; this user opens it with a reason, and works.
    const [acting, reviewing] = [await open({ language }), await open({ language })];
    const [view, desk] = [new ConsolePage(acting), new ConsolePage(reviewing)];
    await signIn(acting, person);
    await view.link(emergency.mayOpen).click();
    await view
      .row(asset.name)
      .getByRole('button', { name: view.say(emergency.open) })
      .click();
    const dialog = acting.page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: view.say(emergency.minutes) }).fill('15');
    expect(
      await dialog.getByRole('button', { name: view.say(emergency.openNow) }).isDisabled(),
    ).toBe(true);
    await dialog
      .getByRole('textbox', { name: view.say(emergency.reason) })
      .fill('The shop is down');
    problems.push(...(await problemsOf(acting.page, 'opening emergency access')));
    await dialog.getByRole('button', { name: view.say(emergency.openNow) }).click();
    await view.notified(emergency.opened);
    const window = await acting.windowFrom(() =>
      view
        .row(asset.name)
        .getByRole('link', { name: view.say(emergency.connect) })
        .click(),
    );
    const terminal = new TerminalPage(window, language, asset.name);
    await terminal.ready();
    await terminal.run('echo works-$((40+2))');
    await terminal.shows('works-42');

    // The reviewer finds the ticket and the session, and watches.
    await signIn(reviewing, ADMIN, '/ui/terminal/session');
    await desk
      .row(asset.name)
      .getByText(desk.say({ zh: '紧急', en: 'Emergency' }), { exact: true })
      .waitFor();
    await visit(reviewing, '/ui/tickets/tickets?activeTab=AssignedTicketList');
    await desk.row(asset.name).getByRole('link').first().click();
    await desk.main.getByText('The shop is down').waitFor();
    const watched = await reviewing.windowFrom(() =>
      desk.main.getByRole('link', { name: desk.say(emergency.watch), exact: true }).click(),
    );
    await watched.getByRole('main').getByText('works-42').waitFor();
    await watched.close();
    expect(await desk.button(emergency.reviewed).isDisabled()).toBe(true);
    problems.push(...(await problemsOf(reviewing.page, 'a ticket about emergency access')));

    // It is ended early, and reviewed when the recording was opened.
    await desk.button(emergency.endNow).click();
    await reviewing.page
      .getByRole('dialog')
      .getByRole('button', { name: desk.say(emergency.endNow) })
      .click();
    await terminal.notice.waitFor();
    const replay = await reviewing.windowFrom(() =>
      desk.main.getByRole('link', { name: desk.say(emergency.replay), exact: true }).click(),
    );
    await replay.getByText(desk.say({ zh: '紧急', en: 'Emergency' }), { exact: true }).waitFor();
    await replay.close();
    await desk.button(emergency.reviewed).click();
    await desk.notified(common.updateSuccess);
    await desk.button(emergency.reviewed).waitFor({ state: 'detached' });
    await reviewing.page.goto('/ui/perms/emergency-access');
    await desk.row(rule.name).waitFor();
    problems.push(...(await problemsOf(reviewing.page, 'rules of emergency access')));
    expect(problems).toEqual([]);
  },
);
