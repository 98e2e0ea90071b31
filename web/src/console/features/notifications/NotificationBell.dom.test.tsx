import { formatDatetime } from '@sallyport/contract';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { NotificationBell } from './NotificationBell.tsx';
import { sentenceOf } from './sentences.ts';
import { words } from './words.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

const news = (id: string, isRead = false) =>
  ({
    id,
    kind: 'ticket_asked',
    subject: `Import ${id}`,
    by_name: 'Li(li)',
    resource: 'ticket',
    resource_id: `ticket-${id}`,
    org_id: '',
    is_read: isRead,
    date_created: formatDatetime(new Date(), 'UTC'),
  }) as const;

function serve(rows: readonly ReturnType<typeof news>[]) {
  const state = { rows };
  const server = new MemoryServer()
    .on('GET', 'users/notifications/', ({ query }) => {
      const results = state.rows.filter((row) => query.is_read !== 'false' || !row.is_read);
      return { body: { count: results.length, next: null, previous: null, results } };
    })
    .on('POST', 'users/notifications/read/', () => ({ body: {} }));
  return Object.assign(server, { state });
}
const bell = (count: number) =>
  screen.findByRole('button', {
    name: count > 0 ? `${t(words.title)}: ${t(words.unread, { count })}` : t(words.title),
  });

it('counts unread notifications, leads to their object and marks the opened one as read', async () => {
  const server = serve([news('1'), news('2', true)]);
  const { router } = await renderPage(<NotificationBell />);
  fireEvent.click(await bell(1));
  const link = await screen.findByRole('link', {
    name: new RegExp(sentenceOf(news('1')).replace(/[()]/g, '\\$&')),
  });
  expect(link.textContent).toContain(t(words.isUnread));
  fireEvent.click(link);
  await waitFor(() => expect(router.state.location.pathname).toBe('/tickets/tickets/ticket-1'));
  expect(server.bodies('POST', 'users/notifications/read/')).toEqual([{ ids: ['1'] }]);
});

it('marks all as read', async () => {
  const server = serve([news('1')]);
  await renderPage(<NotificationBell />);
  fireEvent.click(await bell(1));
  fireEvent.click(await screen.findByRole('button', { name: t(words.markAll) }));
  await waitFor(() => expect(server.bodies('POST', 'users/notifications/read/')).toEqual([{}]));
});

it('says what will appear when there is nothing', async () => {
  serve([]);
  await renderPage(<NotificationBell />);
  fireEvent.click(await bell(0));
  await screen.findByText(new RegExp(t(words.noneHint).slice(0, 12)));
});

it('notifies by the browser when chosen, and keeps the switch off when the browser refuses', async () => {
  for (const permission of ['granted', 'denied'] as const) {
    serve([]);
    const prompt = vi.fn(async () => permission);
    vi.stubGlobal(
      'Notification',
      Object.assign(vi.fn(), { permission: 'default', requestPermission: prompt }),
    );
    const { unmount } = await renderPage(<NotificationBell />);
    fireEvent.click(await bell(0));
    const choice = await screen.findByRole('switch', { name: t(words.onThisBrowser) });
    await act(async () => fireEvent.click(choice));
    expect(prompt).toHaveBeenCalledOnce();
    expect((choice as HTMLInputElement).checked).toBe(permission === 'granted');
    expect(screen.queryByText(t(words.blocked)) !== null).toBe(permission === 'denied');
    unmount();
    localStorage.clear();
  }
});
