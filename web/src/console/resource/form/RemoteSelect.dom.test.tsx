import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { narrowed } from '../references.ts';
import { RemoteSelect } from './RemoteSelect.tsx';

const chosen: (readonly string[])[] = [];
const PEOPLE = narrowed('user', { role: 'User' });

function Select() {
  const [value, setValue] = useState<readonly string[]>([]);
  return (
    <RemoteSelect
      reference={PEOPLE}
      label="People"
      multiple
      value={value}
      onChange={(next) => {
        chosen.push(next);
        setValue(next);
      }}
    />
  );
}

it('asks only when it opens, searches on the server, and writes what is chosen as its resource does', async () => {
  const server = new MemoryServer().on('GET', 'users/users/', ({ query }) => ({
    body: { count: 1, next: null, previous: null, results: [{ id: `id-${query.search}`, name: 'Ann', username: query.search || 'ann' }] },
  }));
  await renderPage(<Select />);
  expect(server.requests).toEqual([]);
  const input = screen.getByRole('combobox');
  fireEvent.focus(input);
  await screen.findByRole('option', { name: 'Ann(ann)', hidden: true });
  fireEvent.change(input, { target: { value: 'bob' } });
  fireEvent.click(await screen.findByRole('option', { name: 'Ann(bob)', hidden: true }));
  expect(chosen).toEqual([['id-bob']]);
  expect(server.requests.at(-1)?.query).toMatchObject({ search: 'bob', role: 'User', fields_size: 'mini', order: 'name', limit: '10' });
  await waitFor(() => expect(screen.getAllByText('Ann(bob)').length).toBeGreaterThan(0));
});
