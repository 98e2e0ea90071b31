import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { UploadPanel } from './UploadPanel.tsx';
import type { UploadItem } from './upload-items.ts';
import { UploadQueue } from './upload-queue.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const asking = (id: string): UploadItem => ({
  id,
  path: `/tmp/${id}.txt`,
  size: 1,
  sent: 0,
  status: 'asking',
  error: null,
});

const PAUSE_MS = 500;

/** Keeps the pause of answers until the returned function ends it: a busy machine takes longer. */
function holdPauses(): () => void {
  const { setTimeout: start } = globalThis;
  let end: (() => void) | undefined;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    call: () => void,
    milliseconds?: number,
  ) => {
    if (milliseconds !== PAUSE_MS) return start(call, milliseconds);
    end = call;
    return 0;
  }) as typeof setTimeout);
  return () => act(() => end?.());
}

it('ignores a double click on the answer about the file before', async () => {
  const endPause = holdPauses();
  const queue = new UploadQueue(() => undefined);
  const items = [asking('one'), asking('two')];
  const show = vi.spyOn(queue, 'snapshot');
  const answer = vi.spyOn(queue, 'answer').mockReturnValue(undefined);
  const panel = (index: number) => {
    show.mockReturnValue({ items, asking: items[index] ?? null, speed: 0 });
    return (
      <MantineProvider>
        <UploadPanel key={index} uploads={queue} />
      </MantineProvider>
    );
  };
  const { rerender } = render(panel(0));
  const replace = () => screen.findByRole('button', { name: '替换' });
  fireEvent.click(await replace());
  expect(answer).not.toHaveBeenCalled();
  endPause();
  expect((await replace()).getAttribute('aria-disabled')).toBeNull();
  fireEvent.click(await replace());
  expect(answer).toHaveBeenCalledWith('one', 'overwrite', false);
  rerender(panel(1));
  await screen.findByText(/two\.txt/, { selector: 'p' });
  fireEvent.click(await replace());
  fireEvent.click(screen.getByRole('button', { name: '跳过' }));
  fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
  expect(answer).toHaveBeenCalledTimes(1);
  endPause();
  expect((await replace()).getAttribute('aria-disabled')).toBeNull();
  fireEvent.click(await replace());
  expect(answer).toHaveBeenLastCalledWith('two', 'overwrite', false);
});

it('says of a finished upload that the server refused its time', async () => {
  const queue = new UploadQueue(() => undefined);
  const done = { ...asking('one'), status: 'done' } as const;
  const items = [done, { ...done, id: 'two', isWithoutTime: true }];
  vi.spyOn(queue, 'snapshot').mockReturnValue({ items, asking: null, speed: 0 });
  render(
    <MantineProvider>
      <UploadPanel uploads={queue} />
    </MantineProvider>,
  );
  expect(await screen.findByText('已完成；服务器拒绝设置修改时间或权限')).toBeTruthy();
  expect(screen.getAllByText('已完成')).toHaveLength(1);
});

it('says the speed and the time left, and nothing of both while all uploads are paused', async () => {
  const queue = new UploadQueue(() => undefined);
  const half = { ...asking('one'), status: 'running', size: 40 * 1024, sent: 10 * 1024 } as const;
  const ended = { ...half, id: 'two', status: 'failed' } as const;
  const show = vi.spyOn(queue, 'snapshot');
  const panel = (items: readonly UploadItem[], speed: number) => {
    show.mockReturnValue({ items, asking: null, speed });
    return (
      <MantineProvider>
        <UploadPanel key={items[0]?.status} uploads={queue} />
      </MantineProvider>
    );
  };
  const { rerender } = render(panel([half, ended], 400));
  expect(await screen.findByText(/\/秒 · 剩余 1:17$/)).toBeTruthy();
  rerender(panel([{ ...half, status: 'paused' }, ended], 400));
  expect(screen.queryByText(/\/秒/)).toBeNull();
  expect(screen.getAllByText('已暂停').length).toBeGreaterThan(0);
  rerender(panel([{ ...half, status: 'waiting' }, ended], 0));
  expect(screen.queryByText(/剩余|\/秒/)).toBeNull();
});
