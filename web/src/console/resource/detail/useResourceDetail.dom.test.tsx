import { label } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { act, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderHook } from '../../../testing/render-hook.tsx';
import { cacheKey } from '../source.ts';
import { useResourceDetail } from './useResourceDetail.ts';

const PATH = 'assets/labels/1/';

/** The page of a label whose deletion is answered with a status, and how often it was read. */
async function detailPage(status: number) {
  const server = new MemoryServer()
    .on('GET', PATH, () => ({ body: { id: '1', name: 'color' } }))
    .on('DELETE', PATH, () => ({ status }));
  const { now } = await renderHook(() => ({
    model: useResourceDetail(label, '1'),
    client: useQueryClient(),
  }));
  await waitFor(() => expect(now().model.object).toBeDefined());
  const readings = () => server.requests.filter(({ method }) => method === 'GET').length;
  // What the page hears of others, and of what it did itself.
  const hear = () => act(() => now().client.invalidateQueries({ queryKey: cacheKey(label) }));
  return { model: () => now().model, readings, hear };
}

it('is not read any more once it is deleted, though its page is still there when the news of that come', async () => {
  const { model, readings, hear } = await detailPage(204);
  let leave = () => {};
  let isLeaving = false;
  const removed = model().remove(() => {
    isLeaving = true;
    return new Promise<void>((resolve) => {
      leave = resolve;
    });
  });
  await waitFor(() => expect(isLeaving).toBe(true));
  await hear();
  expect(readings()).toBe(1);
  expect(model().object).toBeDefined();
  leave();
  await removed;
});

it('is read on when its deletion was refused', async () => {
  const { model, readings, hear } = await detailPage(403);
  await expect(model().remove(async () => undefined)).rejects.toThrow();
  await hear();
  await waitFor(() => expect(readings()).toBe(2));
});
