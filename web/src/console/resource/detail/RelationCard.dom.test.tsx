import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { common, t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { words } from '../form/words.ts';
import { narrowed } from '../references.ts';
import { RelationCard } from './RelationCard.tsx';

const PEOPLE = narrowed('user', { role: 'User' });

/** Records each stored set, and answers when the test releases it. */
class SlowStore {
  readonly stored: (readonly string[])[] = [];
  #answer = () => {};

  store(next: readonly string[]): Promise<void> {
    this.stored.push(next);
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  answer = () => act(async () => this.#answer());
}

/** A card with Bob as its only member. The change notification arrives before the answer. */
function Members({ slow }: { readonly slow: SlowStore }) {
  const [value, setValue] = useState<readonly string[]>(['bob']);
  return (
    <RelationCard
      title="Members"
      reference={PEOPLE}
      value={value}
      onChange={(next) => {
        setValue(next);
        return slow.store(next);
      }}
    />
  );
}

async function openCard() {
  new MemoryServer().on('GET', 'users/users/', () => ({
    body: {
      count: 3,
      next: null,
      previous: null,
      results: ['ann', 'bob', 'cid'].map((name) => ({ id: name, name, username: name })),
    },
  }));
  const slow = new SlowStore();
  await renderPage(<Members slow={slow} />);
  const choose = async (name: string) => {
    fireEvent.click(screen.getByRole('combobox'));
    fireEvent.click(await screen.findByRole('option', { name: `${name}(${name})`, hidden: true }));
  };
  const add = () => screen.getByRole<HTMLButtonElement>('button', { name: t(common.add) });
  return { choose, add, slow };
}

it('keeps a new choice while an earlier choice is being stored', async () => {
  const { choose, add, slow } = await openCard();
  await choose('ann');
  fireEvent.click(add());
  expect(slow.stored).toEqual([['bob', 'ann']]);
  await choose('cid');
  await slow.answer();
  await waitFor(() => expect(add().disabled).toBe(false));
  fireEvent.click(add());
  expect(slow.stored.at(-1)).toEqual(['bob', 'ann', 'cid']);
  await slow.answer();
  await waitFor(() => expect(add().disabled).toBe(true));
});

it('keeps the choice when another object is removed', async () => {
  const { choose, add, slow } = await openCard();
  await choose('ann');
  fireEvent.click(
    await screen.findByRole('button', { name: t(words.removeItem, { name: 'bob(bob)' }) }),
  );
  expect(slow.stored).toEqual([[]]);
  await slow.answer();
  fireEvent.click(add());
  expect(slow.stored.at(-1)).toEqual(['ann']);
});
