import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { live } from '../../kit/connection/connection.ts';
import { queryClient } from '../../kit/page/start-app.tsx';
import { listenForChanges } from './live.ts';

const sockets: Socket[] = [];
class Socket {
  readonly url: string;
  onopen?: () => void;
  onclose?: () => void;
  onmessage?: (event: { data: string }) => void;
  close = () => this.onclose?.();
  constructor(url: URL) {
    this.url = String(url);
    sockets.push(this);
  }
  say(message: unknown) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

let ending: AbortController;
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', Socket);
  sockets.length = 0;
  queryClient.clear();
  ending = new AbortController();
});
afterEach(() => {
  ending.abort();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Renders a query; the returned function counts its fetches. */
function onScreen(...queryKey: string[]) {
  const read = vi.fn(async () => 1);
  const stop = new QueryObserver(queryClient, {
    queryKey,
    queryFn: read,
    staleTime: Number.POSITIVE_INFINITY,
  }).subscribe(() => undefined);
  ending.signal.addEventListener('abort', stop);
  return read;
}

it('refetches visible queries of changed resources, and no others', async () => {
  listenForChanges('org-1', ending.signal);
  const [assets, users, form] = [
    onScreen('resource', 'assets', 'assets', 'list'),
    onScreen('resource', 'users', 'users', 'list'),
    onScreen('resource', 'assets', 'assets', 'form'),
  ];
  await vi.advanceTimersByTimeAsync(0);
  expect(new URL(sockets[0]?.url ?? '').searchParams.get('oid')).toBe('org-1');
  sockets[0]?.onopen?.();
  expect(live.isOpen).toBe(true);
  // A changed node makes assets stale too.
  sockets[0]?.say({ type: 'changed', resources: { node: ['a'], 'no-such': null } });
  await vi.advanceTimersByTimeAsync(0);
  expect([assets, users, form].map(({ mock }) => mock.calls.length)).toEqual([2, 1, 1]);
  sockets[0]?.say({ type: 'changed', resources: null });
  await vi.advanceTimersByTimeAsync(0);
  expect([assets, users, form].map(({ mock }) => mock.calls.length)).toEqual([3, 2, 1]);
});

it('refetches what waits for the user when a request is proposed or decided', async () => {
  listenForChanges('', ending.signal);
  const [attention, sets] = [onScreen('attention'), onScreen('change-sets', 'list')];
  const counts = () => [attention, sets].map(({ mock }) => mock.calls.length);
  await vi.advanceTimersByTimeAsync(0);
  sockets[0]?.onopen?.();
  for (const [resources, times] of [
    [{ change_set: ['a'] }, 2],
    [{ ticket: null }, 3],
    [{ asset: ['a'] }, 3],
    [null, 4],
  ] as const) {
    sockets[0]?.say({ type: 'changed', resources });
    await vi.advanceTimersByTimeAsync(0);
    expect(counts()).toEqual([times, times]);
  }
});

it('reconnects after a lost connection and requests missed changes, but not after the sign-in session ends', async () => {
  listenForChanges('', ending.signal);
  const ageOf = (socket: Socket | undefined) =>
    Number(new URL(socket?.url ?? '').searchParams.get('age'));
  // Requests changes since the page load.
  expect(ageOf(sockets[0])).toBeGreaterThanOrEqual(performance.now());
  sockets[0]?.onopen?.();
  sockets[0]?.onclose?.();
  expect(live.isOpen).toBe(false);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(sockets).toHaveLength(2);
  expect(ageOf(sockets[1])).toBeGreaterThanOrEqual(60_000);
  sockets[1]?.onopen?.();
  sockets[1]?.say({ type: 'closed', code: 'not_authenticated' });
  sockets[1]?.onclose?.();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(sockets).toHaveLength(2);
});

it('pauses while the page is hidden', async () => {
  listenForChanges('', ending.signal);
  const assets = onScreen('resource', 'assets', 'assets', 'list');
  await vi.advanceTimersByTimeAsync(0);
  const visible = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  sockets[0]?.say({ type: 'changed', resources: { asset: null } });
  await vi.advanceTimersByTimeAsync(0);
  expect(assets).toHaveBeenCalledTimes(1);
  visible.mockReturnValue('visible');
  document.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(0);
  expect(assets).toHaveBeenCalledTimes(2);
});
