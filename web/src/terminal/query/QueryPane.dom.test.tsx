import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { changedRows } from './Results.tsx';
import { RunQuestion } from './RunQuestion.tsx';

afterEach(cleanup);

/** Waits until a question takes answers, and returns one of its buttons. */
async function answerable(name: string): Promise<HTMLElement> {
  const button = await screen.findByRole('button', { name });
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull());
  return button;
}

const QUESTION = {
  message: 'This deletes every row of public.item.',
  act: 'delete',
  word: null,
} as const;

it('names the act in title and button, says that it is final, and focuses the answer that runs nothing', async () => {
  const onAnswer = vi.fn();
  render(
    <MantineProvider>
      <RunQuestion
        state={{ question: QUESTION, autocommit: true, transaction: 'none' }}
        onAnswer={onAnswer}
      />
    </MantineProvider>,
  );
  expect(await screen.findByRole('dialog', { name: '删除所有行？' })).toBeTruthy();
  const no = screen.getByRole('button', { name: '不执行' });
  await waitFor(() => expect(document.activeElement).toBe(no));
  expect(screen.getByText(/ROLLBACK 无法撤销/)).toBeTruthy();
  fireEvent.click(await answerable('删除所有行'));
  expect(onAnswer).toHaveBeenCalledWith(true, undefined);
});

it('runs a statement only with the word of its rule, which cannot be pasted', async () => {
  const onAnswer = vi.fn();
  const question = { message: 'This is production.', act: null, word: 'orders' };
  render(
    <MantineProvider>
      <RunQuestion
        state={{ question, autocommit: true, transaction: 'none' }}
        onAnswer={onAnswer}
      />
    </MantineProvider>,
  );
  const field = await screen.findByRole('textbox', { name: '输入 orders 以执行' });
  await waitFor(() => expect(document.activeElement).toBe(field));
  const run = screen.getByRole<HTMLButtonElement>('button', { name: '执行' });
  expect(run.disabled).toBe(true);
  expect(fireEvent.paste(field)).toBe(false);
  fireEvent.change(field, { target: { value: 'order' } });
  expect(run.disabled).toBe(true);
  fireEvent.change(field, { target: { value: 'orders' } });
  fireEvent.click(await answerable('执行'));
  expect(onAnswer).toHaveBeenCalledWith(true, 'orders');
});

it('shows the rows of a previewed change as a table, and focuses the answer that runs nothing', async () => {
  const onAnswer = vi.fn();
  const preview = { columns: ['id', 'note'], rows: [['1', null]] };
  const question = { message: 'This deletes 1 row of item.', act: null, word: null, preview };
  render(
    <MantineProvider>
      <RunQuestion
        state={{ question, autocommit: true, transaction: 'none' }}
        onAnswer={onAnswer}
      />
    </MantineProvider>,
  );
  expect(await screen.findByRole('dialog', { name: '更改预览' })).toBeTruthy();
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole('button', { name: '不执行' })),
  );
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'id',
    'note',
  ]);
  expect(screen.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual(['1', 'NULL']);
  fireEvent.click(await answerable('执行'));
  expect(onAnswer).toHaveBeenCalledWith(true, undefined);
});

it('ignores clicks, Enter and Escape that were for the question before', async () => {
  const onAnswer = vi.fn();
  const show = (message: string) => (
    <MantineProvider>
      <RunQuestion
        state={{
          question: { message, act: null, word: null },
          autocommit: true,
          transaction: 'none',
        }}
        onAnswer={onAnswer}
      />
    </MantineProvider>
  );
  const { rerender } = render(show('This is production.'));
  fireEvent.click(await answerable('执行'));
  expect(onAnswer).toHaveBeenCalledTimes(1);
  rerender(show('Customers notice this.'));
  await screen.findByText('Customers notice this.');
  const run = screen.getByRole('button', { name: '执行' });
  expect(run.getAttribute('aria-disabled')).toBe('true');
  fireEvent.click(run);
  fireEvent.click(screen.getByRole('button', { name: '不执行' }));
  fireEvent.submit(run);
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
  expect(onAnswer).toHaveBeenCalledTimes(1);
  fireEvent.click(await answerable('执行'));
  expect(onAnswer).toHaveBeenCalledTimes(2);
});

it('says how many rows a statement deleted, updated or inserted', () => {
  expect(
    ['  DELETE from a', 'update a', 'insert into a', 'merge into a'].map((text) =>
      changedRows(text, 60_000),
    ),
  ).toEqual(['已删除 60,000 行', '已更新 60,000 行', '已插入 60,000 行', '60,000 行']);
});
