import { label } from '@sallyport/contract';
import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { t } from '../../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../../testing/memory-server.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { words } from '../words.ts';
import { searchFields } from './search-fields.ts';
import { TagSearch } from './TagSearch.tsx';
import type { SearchValue } from './useTagSearch.ts';

const seen: SearchValue[] = [];

function Search({ isPhrase }: { readonly isPhrase?: boolean }) {
  const [value, setValue] = useState<SearchValue>({ search: '', filters: {} });
  return (
    <TagSearch
      fields={searchFields(label.fields)}
      {...value}
      isPhrase={isPhrase}
      onChange={(next) => {
        seen.push(next);
        setValue(next);
      }}
    />
  );
}

it('turns a text, and a field with its value, into a tag, and removes it again', async () => {
  new MemoryServer();
  await renderPage(<Search />);
  const input = screen.getByRole('combobox', { name: t(words.searchPlaceholder) });
  fireEvent.change(input, { target: { value: 'web' } });
  fireEvent.click(
    await screen.findByRole('option', { name: t(words.searchFor, { text: 'web' }), hidden: true }),
  );
  expect(seen.at(-1)).toEqual({ search: 'web', filters: {} });

  fireEvent.change(input, { target: { value: 'blue' } });
  fireEvent.click(
    await screen.findByRole('option', {
      name: `${t(label.fields.value.label)}: blue`,
      hidden: true,
    }),
  );
  expect(seen.at(-1)).toEqual({ search: 'web', filters: { value: 'blue' } });

  fireEvent.keyDown(input, { key: 'Backspace' });
  expect(seen.at(-1)).toEqual({ search: '', filters: { value: 'blue' } });
  fireEvent.keyDown(input, { key: 'Backspace' });
  expect(seen.at(-1)).toEqual({ search: '', filters: {} });
});

it('searches several typed words as one phrase when the list asks for it', async () => {
  new MemoryServer();
  await renderPage(<Search isPhrase />);
  const input = await screen.findByRole('combobox', { name: t(words.searchPlaceholder) });
  const type = async (text: string) => {
    fireEvent.change(input, { target: { value: text } });
    fireEvent.click(
      await screen.findByRole('option', { name: t(words.searchFor, { text }), hidden: true }),
    );
    return seen.at(-1)?.search;
  };
  expect(await type('rm -')).toBe('"rm -"');
  expect(await type('=sudo')).toBe('"rm -" =sudo');
});
