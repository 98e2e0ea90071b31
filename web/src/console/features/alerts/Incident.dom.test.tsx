import { Role } from '@sallyport/contract';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { OverlayHost } from '../../../kit/dialogs/overlay-host.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { words as sessionWords } from '../sessions/words.ts';
import { Incident } from './Incident.tsx';
import type { Alert } from './sentence.ts';
import { words } from './words.ts';

afterEach(() => vi.unstubAllGlobals());

const ANN = { resource: 'user', id: 'ann-id' } as const;
const ALERT = {
  id: 'alert-1',
  kind: 'new_network',
  datetime: '2026-01-31 08:30:00 +0800',
  user: 'Ann Cole(ann)',
  username: 'ann',
  subject: '203.0.113.0/24',
  remote_addr: '203.0.113.7',
  links: { user: ANN },
};
const LIVE = {
  id: 'session-1',
  user: 'Ann Cole(ann)',
  user_id: ANN.id,
  asset: 'web-1',
  system_user: 'deploy',
  date_start: '2026-01-31 08:31:00 +0800',
};

let live: readonly object[];
function serve(): MemoryServer {
  live = [LIVE];
  return new MemoryServer()
    .on('GET', 'audits/login-logs/', () => ({ body: { results: [] } }))
    .on('GET', 'terminal/sessions/', ({ query }) => ({
      body: { results: query.is_finished === '0' ? live : [LIVE] },
    }))
    .on('POST', 'perms/consequences/', () => ({
      body: {
        objects: { count: 0, names: [] },
        consequences: [],
        access: [],
        access_from: null,
        type_to_confirm: null,
      },
    }))
    .on('POST', 'terminal/tasks/kill-session/', () => {
      live = [];
      return { body: { ok: ['session-1'] } };
    })
    .on('PATCH', 'users/users/ann-id/', () => ({ body: {} }));
}

async function show(changes: object = {}, role: number = Role.OrgAdmin) {
  const server = serve();
  const alert = { ...ALERT, ...changes } as Partial<Alert> as Alert;
  await renderPage(
    <>
      <Incident alert={alert} onSeen={undefined} />
      <OverlayHost />
    </>,
    { role },
  );
  await screen.findByText(t(words.connected, { asset: 'web-1', account: 'deploy' }));
  return server;
}

/** Confirms in the open dialog: a dangerous confirmation pauses before it reacts. */
async function confirm(name: string) {
  const dialog = await screen.findByRole('dialog');
  const button = () => within(dialog).getByRole('button', { name });
  await waitFor(() => expect(button().getAttribute('aria-disabled')).toBeNull());
  fireEvent.click(button());
}

const end = () => t(words.endSessions, { count: 1 });

it('ends the live sessions of the user with a reason, and offers it no longer', async () => {
  const server = await show();
  fireEvent.click(await screen.findByRole('button', { name: end() }));
  const dialog = await screen.findByRole('dialog');
  fireEvent.change(await screen.findByRole('textbox', { name: t(sessionWords.reason) }), {
    target: { value: 'A stolen laptop' },
  });
  await confirm(t(sessionWords.endSessions, { count: 1 }));
  await waitFor(() =>
    expect(server.bodies('POST', 'terminal/tasks/kill-session/')).toEqual([
      { sessions: ['session-1'], reason: 'A stolen laptop' },
    ]),
  );
  await waitFor(() => expect(dialog.isConnected).toBe(false));
  await waitFor(() => expect(screen.queryByRole('button', { name: end() })).toBeNull());
});

it('disables the user after a question that shows the consequences', async () => {
  const server = await show();
  fireEvent.click(screen.getByRole('button', { name: t(words.disable) }));
  await screen.findByRole('dialog', { name: t(words.disableTitle, { user: ALERT.user }) });
  expect(server.bodies('PATCH', 'users/users/ann-id/')).toEqual([]);
  await confirm(t(words.disable));
  await waitFor(() =>
    expect(server.bodies('PATCH', 'users/users/ann-id/')).toEqual([{ is_active: false }]),
  );
  expect(server.bodies('POST', 'perms/consequences/')).toMatchObject([
    { action: 'disable', resource: 'user' },
  ]);
});

it.each([
  ['an auditor', {}, Role.OrgAuditor],
  ['the own account', { links: { user: { ...ANN, id: 'me' } } }, Role.OrgAdmin],
])('offers no act against the user: %s', async (_, changes, role) => {
  await show(changes, role);
  expect(screen.queryByRole('button', { name: end() })).toBeNull();
  expect(screen.queryByRole('button', { name: t(words.disable) })).toBeNull();
});
