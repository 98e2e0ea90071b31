import { label } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { act, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderHook } from '../../../testing/render-hook.tsx';
import { cacheKey } from '../source.ts';
import { useResourceDetail } from './useResourceDetail.ts';

const PATH = 'assets/labels/1/';

/** Draws the page of a label whose deletion gets the given status, and counts its reads. */
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
  // Simulates the change notification that follows changes of other users and of this page.
  const hear = () => act(() => now().client.invalidateQueries({ queryKey: cacheKey(label) }));
  return { model: () => now().model, readings, hear };
}

it('stops reading a deleted object, even if its page is still drawn when the notification arrives', async () => {
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

it('continues reading after a rejected deletion', async () => {
  const { model, readings, hear } = await detailPage(403);
  await expect(model().remove(async () => undefined)).rejects.toThrow();
  await hear();
  await waitFor(() => expect(readings()).toBe(2));
});
