import type { QuickConnectAsset } from '@sallyport/contract';
import { fireEvent, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { QuickConnect } from './QuickConnect.tsx';
import { words } from './words.ts';

const ASSETS: readonly QuickConnectAsset[] = [
  { id: 'one', hostname: 'web-1', ip: '10.0.0.1', favorite: true, date_last: null },
  {
    id: 'two',
    hostname: 'db-1',
    ip: '10.0.0.2',
    favorite: false,
    date_last: '2026-11-20 09:30:00 +0800',
  },
];

const opened: string[] = [];
beforeEach(() => {
  opened.length = 0;
  vi.spyOn(window, 'open').mockImplementation((address) => {
    opened.push(String(address));
    return null;
  });
});

async function show(assets: readonly QuickConnectAsset[], besides?: ReactNode) {
  new MemoryServer().on('GET', 'search/quick-connect/', () => ({ body: assets }));
  await renderPage(
    <>
      <QuickConnect />
      {besides}
    </>,
  );
}

it('connects by digit, announced with the name to screen readers, and by a link', async () => {
  await show(ASSETS);
  const second = await screen.findByRole('link', {
    name: new RegExp(t(words.connectTo, { name: 'db-1' })),
  });
  expect(second.getAttribute('aria-keyshortcuts')).toBe('2');
  fireEvent.keyDown(document.body, { key: '2' });
  expect(opened).toEqual(['/luna/?login_to=two']);
  expect(second.getAttribute('href')).toBe('/luna/?login_to=two');
  expect(second.getAttribute('target')).toBe('_blank');
  for (const event of [
    { key: '3' },
    { key: '0' },
    { key: '1', ctrlKey: true },
    { key: '1', altKey: true },
    { key: '1', repeat: true },
  ])
    fireEvent.keyDown(document.body, event);
  expect(opened).toHaveLength(1);
});

it('ignores digits in fields, trees and dialogs', async () => {
  await show(
    ASSETS,
    <>
      <input aria-label="field" />
      <div role="tree" tabIndex={0} aria-label="tree" />
    </>,
  );
  await screen.findByRole('link', { name: /web-1/ });
  fireEvent.keyDown(screen.getByRole('textbox', { name: 'field' }), { key: '1' });
  fireEvent.keyDown(screen.getByRole('tree'), { key: '1' });
  const dialog = document.body.appendChild(document.createElement('div'));
  dialog.setAttribute('role', 'dialog');
  fireEvent.keyDown(document.body, { key: '1' });
  dialog.remove();
  expect(opened).toEqual([]);
  fireEvent.keyDown(document.body, { key: '1' });
  expect(opened).toEqual(['/luna/?login_to=one']);
});

it('shows an explanation while the list is empty', async () => {
  await show([]);
  await screen.findByText(t(words.quickEmpty));
});
