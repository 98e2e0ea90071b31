import type { QuickConnectAsset } from '@sallyport/contract';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { t } from '../../kit/i18n/index.ts';
import { MemoryServer } from '../../testing/memory-server.ts';
import { renderTerminalPart } from '../../testing/render-terminal-part.tsx';
import { words as windowWords } from '../words.ts';
import { Welcome } from './Welcome.tsx';

afterEach(() => vi.unstubAllGlobals());

const SERVERS: readonly QuickConnectAsset[] = [
  { id: 'one', hostname: 'web-1', ip: '10.0.0.1', favorite: true, date_last: null },
  {
    id: 'two',
    hostname: 'db-1',
    ip: '10.0.0.2',
    favorite: false,
    date_last: '2020-11-20 09:30:00 +0800',
  },
];

async function show(servers: readonly QuickConnectAsset[]) {
  new MemoryServer().on('GET', 'search/quick-connect/', () => ({ body: servers }));
  const onConnect = vi.fn();
  await renderTerminalPart(<Welcome onConnect={onConnect} onShowPanel={vi.fn()} />);
  return onConnect;
}

it('connects to a server by its digit and by a click', async () => {
  const onConnect = await show(SERVERS);
  const second = await screen.findByRole('button', { name: /db-1/ });
  expect(second.getAttribute('aria-keyshortcuts')).toBe('2');
  fireEvent.keyDown(document.body, { key: '2' });
  expect(onConnect).toHaveBeenLastCalledWith({ id: 'two', hostname: 'db-1', ip: '10.0.0.2' });
  fireEvent.click(screen.getByRole('button', { name: /web-1/ }));
  expect(onConnect).toHaveBeenLastCalledWith({ id: 'one', hostname: 'web-1', ip: '10.0.0.1' });
  fireEvent.keyDown(document.body, { key: '3' });
  expect(onConnect).toHaveBeenCalledTimes(2);
});

it('names favorites', async () => {
  await show(SERVERS);
  const first = await screen.findByRole('button', { name: /web-1/ });
  expect(first.textContent).toContain(t(windowWords.favorite));
  expect(screen.getByRole('button', { name: /db-1/ }).textContent).not.toContain(
    t(windowWords.favorite),
  );
});

it('leaves the list out for a user without servers', async () => {
  await show([]);
  await waitFor(() => expect(screen.queryByText(t(windowWords.yourServers))).toBeNull());
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(t(windowWords.welcome));
});
