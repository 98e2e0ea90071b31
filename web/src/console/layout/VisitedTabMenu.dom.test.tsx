import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../kit/i18n/index.ts';
import { MemoryServer } from '../../testing/memory-server.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { currentTabs } from '../base/tabs/store.ts';
import { words } from '../base/words.ts';
import { VisitedTabs } from './VisitedTabs.tsx';

const PATH = '/assets/labels';

async function openTabs() {
  new MemoryServer().on('GET', 'users/preferences/', () => ({ body: {} }));
  await renderPage(<VisitedTabs />, { path: PATH, route: PATH });
  const links = await screen.findAllByRole('link');
  return links.find((link) => link.getAttribute('href') === `/ui${PATH}`) as HTMLElement;
}

const entriesOf = async (link: HTMLElement) => {
  fireEvent.contextMenu(link);
  return (await screen.findAllByRole('menuitem')).map((entry) => entry.textContent);
};

it('offers exactly the four entries of the specification', async () => {
  const link = await openTabs();
  expect(await entriesOf(link)).toEqual(
    [words.tabRefresh, words.tabClose, words.tabCloseOthers, words.tabCloseAll].map((text) =>
      t(text),
    ),
  );
});

it('pins a page by its key or a double click, and unpins it by the same', async () => {
  const link = await openTabs();
  const isPinned = () => currentTabs().find(({ path }) => path === PATH)?.pinned ?? false;
  expect(link.getAttribute('aria-keyshortcuts')).toBe('p');
  fireEvent.keyDown(link, { key: 'p', ctrlKey: true });
  fireEvent.keyDown(link, { key: 'x' });
  expect(isPinned()).toBe(false);
  fireEvent.keyDown(link, { key: 'p' });
  await waitFor(() => expect(isPinned()).toBe(true));
  fireEvent.doubleClick(link);
  await waitFor(() => expect(isPinned()).toBe(false));
  fireEvent.doubleClick(link);
  await waitFor(() => expect(isPinned()).toBe(true));
  fireEvent.keyDown(link, { key: 'P', shiftKey: true });
  await waitFor(() => expect(isPinned()).toBe(false));
});
