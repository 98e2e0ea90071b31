import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { t } from '../../kit/i18n/index.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { TreePane } from './TreePane.tsx';
import { words } from './words.ts';

beforeEach(() => localStorage.clear());

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
