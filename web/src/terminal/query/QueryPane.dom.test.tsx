import { MantineProvider } from '@mantine/core';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { changedRows } from './Results.tsx';
import { RunQuestion } from './RunQuestion.tsx';

afterEach(cleanup);

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
  fireEvent.click(screen.getByRole('button', { name: '删除所有行' }));
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
  fireEvent.click(run);
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
  fireEvent.click(screen.getByRole('button', { name: '执行' }));
  expect(onAnswer).toHaveBeenCalledWith(true, undefined);
});

it('says how many rows a statement deleted, updated or inserted', () => {
  expect(
    ['  DELETE from a', 'update a', 'insert into a', 'merge into a'].map((text) =>
      changedRows(text, 60_000),
    ),
  ).toEqual(['已删除 60,000 行', '已更新 60,000 行', '已插入 60,000 行', '60,000 行']);
});
