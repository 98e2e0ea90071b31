import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { SaveButtons } from './SaveButtons.tsx';
import { words } from './words.ts';

it.each([
  ['csv', words.saveCsv],
  ['xlsx', words.saveXlsx],
] as const)('links the rows of a list as a file of type %s', async (format, label) => {
  await renderPage(
    <SaveButtons path="perms/access/unused/" query={{ search: '网 1', days: 90 }} />,
  );
  const link = await screen.findByRole<HTMLAnchorElement>('link', { name: t(label) });
  const { pathname, searchParams } = new URL(link.href);
  expect(pathname).toMatch(/\/api\/v1\/perms\/access\/unused\/$/);
  expect(Object.fromEntries(searchParams)).toEqual({
    search: '网 1',
    days: '90',
    format,
    tz: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  expect(link.hasAttribute('download')).toBe(true);
});
