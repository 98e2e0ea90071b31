import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { t } from '../../kit/i18n/index.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { TreePane } from './TreePane.tsx';
import { words } from './words.ts';

beforeEach(() => localStorage.clear());
afterEach(() => vi.restoreAllMocks());

const open = async () => {
  const { unmount } = await renderPage(
    <TreePane tree={null} onRefresh={() => undefined}>
      list
    </TreePane>,
  );
  return { unmount, edge: await screen.findByRole('separator', { name: t(words.width) }) };
};

it('resizes by keyboard within limits, and keeps its width after a remount', async () => {
  const { unmount, edge } = await open();
  fireEvent.keyDown(edge, { key: 'End' });
  expect(edge.getAttribute('aria-valuenow')).toBe('720');
  fireEvent.keyDown(edge, { key: 'Home' });
  expect(edge.getAttribute('aria-valuenow')).toBe('200');
  fireEvent.keyDown(edge, { key: 'ArrowLeft' });
  expect(edge.getAttribute('aria-valuenow')).toBe('200');
  unmount();
  const again = await open();
  expect(again.edge.getAttribute('aria-valuenow')).toBe('200');
  fireEvent.doubleClick(again.edge);
  expect(again.edge.getAttribute('aria-valuenow')).toBe('240');
});

/** A page whose tree chooses one node. */
function Page() {
  const [chosen, setChosen] = useState<string>();
  return (
    <TreePane
      chosen={chosen}
      chosenName={chosen && 'Web servers'}
      tree={
        <button type="button" onClick={() => setChosen('n')}>
          a node
        </button>
      }
      onRefresh={() => undefined}
    >
      list
    </TreePane>
  );
}

it('opens the tree as a sheet on a narrow screen, and closes it after a choice', async () => {
  const ask = window.matchMedia.bind(window);
  vi.spyOn(window, 'matchMedia').mockImplementation((query) =>
    Object.defineProperty(ask(query), 'matches', { value: query.includes('62em') }),
  );
  await renderPage(<Page />);
  expect(screen.queryByText('a node')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: t(words.allNodes) }));
  fireEvent.click(await screen.findByText('a node'));
  await waitFor(() => expect(screen.queryByText('a node')).toBeNull());
  await screen.findByRole('button', { name: t(words.node, { name: 'Web servers' }) });
});
