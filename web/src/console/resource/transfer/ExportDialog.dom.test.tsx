import { label } from '@sallyport/contract';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { words as listWords } from '../list/words.ts';
import { ExportDialog } from './ExportDialog.tsx';
import { words } from './words.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ['CSV without a choice', 'csv', undefined],
  ['CSV', 'csv', words.exportCsv],
  ['a workbook', 'xlsx', words.exportXlsx],
] as const)('downloads the rows of a search as %s', async (_, format, choice) => {
  new MemoryServer();
  const addresses: URL[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
    this: HTMLAnchorElement,
  ) {
    addresses.push(new URL(this.href));
  });
  const onClose = vi.fn();
  const extent = { source: label, base: {}, query: { search: 'web' }, selected: [] };
  await renderPage(<ExportDialog extent={extent} onClose={onClose} />);
  if (choice) fireEvent.click(await screen.findByRole('radio', { name: t(choice) }));
  fireEvent.click(await screen.findByRole('button', { name: t(listWords.export) }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(addresses.map(({ searchParams }) => Object.fromEntries(searchParams))).toMatchObject([
    { search: 'web', format, references: 'names' },
  ]);
});
