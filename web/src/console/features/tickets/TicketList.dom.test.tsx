import { formatDatetime } from '@sallyport/contract';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { OverlayHost } from '../../../kit/dialogs/overlay-host.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { clickWhenEnabled } from '../../../testing/click-when-enabled.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { words } from './decide/words.ts';
import { TicketList } from './TicketList.tsx';

afterEach(() => vi.unstubAllGlobals());

const HOUR = 3_600_000;
const at = (hours: number) => formatDatetime(new Date(Date.now() + hours * HOUR), 'UTC');

const ROW = {
  id: 'ticket-1',
  user: 'li',
  user_display: 'Li(li)',
  title: 'Night import',
  body: 'The import failed',
  assignees: ['me'],
  assignees_display: 'Administrator(admin)',
  status: 'open',
  action: '',
  type: 'request_asset',
  type_display: 'Request',
  date_created: at(-5),
};
const REQUEST = {
  ...ROW,
  org_id: '',
  org_name: 'DEFAULT',
  target: 'asset',
  application: '',
  ips: [],
  hostname: 'web-1',
  system_user: 'deploy',
  actions: ['connect'],
  is_read_only: false,
  date_start: at(-5),
  date_expired: at(-3),
  confirmed_assets: [],
  confirmed_system_user: [],
  permission: null,
};
const FOUND = { things: [{ id: 'asset-1', name: 'web-1', check: null }], accounts: ['account-1'] };

function serve(row: object, suggestion: object | null = FOUND) {
  return new MemoryServer()
    .on('GET', 'users/preferences/', () => ({ body: {} }))
    .on('GET', 'tickets/tickets/', () => ({
      body: { count: 1, next: null, previous: null, results: [row] },
    }))
    .on('GET', 'tickets/tickets/ticket-1/request/', () => ({
      body: { request: REQUEST, suggestion, granted: null, waits: null },
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
    .on('POST', 'tickets/request-asset-perm/ticket-1/approve/', () => ({ body: {} }))
    .on('POST', 'tickets/tickets/ticket-1/comments/', () => ({ status: 201, body: {} }))
    .on('PATCH', 'tickets/tickets/ticket-1/', () => ({ body: row }));
}
const show = () =>
  renderPage(
    <>
      <TicketList />
      <OverlayHost />
    </>,
    { path: '/tickets/tickets?status=open' },
  );
const buttonOf = (name: string) => screen.findByRole('button', { name, hidden: true });

it('approves a request from the list for as long as was asked, counted from now', async () => {
  const server = serve(ROW);
  await show();
  fireEvent.click(await buttonOf(`${t(words.approve)} ${ROW.title}`));
  await screen.findByText(/Li\(li\).*deploy.*web-1/);
  await waitFor(async () => {
    const confirm = await buttonOf(t(words.approve));
    expect(confirm.getAttribute('aria-busy')).toBeNull();
    fireEvent.click(confirm);
    expect(server.bodies('POST', 'tickets/request-asset-perm/ticket-1/approve/')).toEqual([
      {
        confirmed_assets: ['asset-1'],
        confirmed_system_user: ['account-1'],
        actions: ['connect'],
        is_read_only: false,
        minutes: 120,
      },
    ]);
  });
});

it('rejects the ticket of the focused row by its letter, with the reason as comment', async () => {
  const server = serve(ROW);
  await show();
  const link = await screen.findByRole('link', { name: ROW.title });
  link.focus();
  fireEvent.keyDown(link, { key: 'r' });
  fireEvent.change(await screen.findByRole('textbox', { name: t(words.reason) }), {
    target: { value: 'Not tonight' },
  });
  await clickWhenEnabled(t(words.rejectNow));
  await waitFor(() =>
    expect(server.bodies('PATCH', 'tickets/tickets/ticket-1/')).toEqual([{ action: 'reject' }]),
  );
  expect(server.bodies('POST', 'tickets/tickets/ticket-1/comments/')).toEqual([
    { body: 'Not tonight' },
  ]);
});

it('opens the ticket when an approval needs a choice', async () => {
  const server = serve(ROW, { things: [], accounts: [] });
  const { router } = await show();
  fireEvent.click(await buttonOf(`${t(words.approve)} ${ROW.title}`));
  await waitFor(() => expect(router.state.location.pathname).toBe('/tickets/tickets/ticket-1'));
  expect(server.bodies('POST', 'tickets/request-asset-perm/ticket-1/approve/')).toEqual([]);
});

it('offers no decision about own tickets and reviews of emergencies', async () => {
  for (const row of [
    { ...ROW, user: 'me' },
    { ...ROW, type: 'emergency' },
  ]) {
    serve(row);
    const { unmount } = await show();
    await screen.findByRole('link', { name: ROW.title });
    expect(screen.queryByRole('button', { name: `${t(words.approve)} ${ROW.title}` })).toBeNull();
    unmount();
  }
});
