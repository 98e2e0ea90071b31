import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { clickWhenEnabled } from '../../testing/click-when-enabled.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { ask, askFirst, askToDelete } from './confirm.ts';
import { OverlayHost } from './overlay-host.tsx';

it('names the action in the title, and does not focus a destructive button first', async () => {
  await renderPage(<OverlayHost />);
  const close = async (label = '取消') => {
    fireEvent.click(screen.getByRole('button', { name: label }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  };
  const focused = (element: () => HTMLElement) =>
    waitFor(() => expect(document.activeElement).toBe(element()));
  const button = (name: string) => () => screen.getByRole('button', { name });

  const remove = vi.fn(async () => undefined);
  askToDelete('web-1', remove);
  await screen.findByRole('dialog', { name: '删除？' });
  await focused(button('取消'));
  await close();
  expect(remove).not.toHaveBeenCalled();

  askFirst({
    message: '结束会话',
    confirm: '终断',
    danger: true,
    note: { label: '原因', hint: '', max: 10 },
    run: async () => undefined,
  });
  await screen.findByRole('dialog', { name: '终断？' });
  await focused(() => screen.getByRole('textbox', { name: '原因' }));
  await close();

  askFirst({ title: '执行计划', message: '现在执行', confirm: '执行', run: async () => undefined });
  await screen.findByRole('dialog', { name: '执行计划' });
  await focused(button('执行'));
  await close();

  ask({
    title: '放弃修改？',
    message: '将丢失',
    confirm: '离开',
    danger: true,
    onConfirm: () => undefined,
  });
  await screen.findByRole('dialog', { name: '放弃修改？' });
  await focused(button('取消'));
  await close();
});

it('ignores a click on a dangerous answer in its first moment, and takes a later one', async () => {
  await renderPage(<OverlayHost />);
  const remove = vi.fn(async () => undefined);
  const leave = vi.fn();
  const isClosed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  askToDelete('web-1', remove);
  fireEvent.click(await screen.findByRole('button', { name: '删除' }));
  expect(remove).not.toHaveBeenCalled();
  await clickWhenEnabled('删除');
  await isClosed();
  expect(remove).toHaveBeenCalledOnce();

  const question = { title: '放弃修改？', message: '将丢失', confirm: '离开', onConfirm: leave };
  ask({ ...question, danger: true });
  fireEvent.click(await screen.findByRole('button', { name: '离开' }));
  expect(leave).not.toHaveBeenCalled();
  await clickWhenEnabled('离开');
  await isClosed();
  expect(leave).toHaveBeenCalledOnce();

  // An answer without danger needs no pause.
  ask(question);
  fireEvent.click(await screen.findByRole('button', { name: '离开' }));
  await isClosed();
  expect(leave).toHaveBeenCalledTimes(2);
});

it('shows the progress of an action that the user may stop, and stops it', async () => {
  await renderPage(<OverlayHost />);
  askFirst({
    message: '全部删除',
    confirm: '删除',
    danger: true,
    canStop: true,
    run: (_note, _isTicked, { signal, report }) => {
      report('已删除 300 项');
      return new Promise<void>((done) => signal.addEventListener('abort', () => done()));
    },
  });
  await clickWhenEnabled('删除');
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('已删除 300 项'));
  fireEvent.click(screen.getByRole('button', { name: '停止' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});
