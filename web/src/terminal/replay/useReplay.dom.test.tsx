import { QueryClient } from '@tanstack/react-query';
import { cleanup, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderHook } from '../../testing/render-hook.tsx';
import { beginReplay } from './begin-replay.ts';
import { useRecording } from './useReplay.ts';

const HEADER = '{"version":2,"width":80,"height":24,"timestamp":1}\n';
const event = (second: number) => `[${second},"o","${'x'.repeat(64 * 1024)}"]\n`;

afterEach(() => vi.unstubAllGlobals());

it('plays a recording from its first 256 KiB, while the rest loads', async () => {
  const encoder = new TextEncoder();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const file = writable.getWriter();
  const send = (text: string) => file.write(encoder.encode(text));
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(readable)));
  const { now } = await renderHook(() => useRecording('/recording', 0));
  await send(HEADER + event(1) + event(2));
  expect(now()).toEqual({ phase: 'loading', bytes: 0 });
  await send(event(3) + event(4));
  await waitFor(() => expect(now().phase).toBe('ready'));
  const playing = now();
  if (playing.phase !== 'ready') throw new Error('it does not play');
  expect(playing.recording).toMatchObject({ times: [1, 2, 3, 4], isComplete: false });
  await send(event(5));
  await file.close();
  await waitFor(() => expect(playing.recording.isComplete).toBe(true));
  expect(now()).toMatchObject({ phase: 'ready', recording: { times: [1, 2, 3, 4, 5] } });
});

it('says that a recording without events is empty', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(HEADER)));
  const { now } = await renderHook(() => useRecording('/recording', 0));
  await waitFor(() => expect(now()).toEqual({ phase: 'failed', reason: 'empty' }));
});

it('plays the download that began while the code of the player loaded', async () => {
  const addresses: string[] = [];
  vi.stubGlobal('fetch', (address: string) => {
    addresses.push(address);
    return Promise.resolve(
      address.endsWith('/replay/')
        ? Response.json({ type: 'asciicast', src: '/file/' })
        : new Response(HEADER + event(1)),
    );
  });
  await beginReplay(new QueryClient(), 'id');
  const { now } = await renderHook(() => useRecording('/file/', 0));
  await waitFor(() => expect(now().phase).toBe('ready'));
  expect(addresses).toEqual(['/api/v1/terminal/sessions/id/replay/', '/file/']);
});

it('aborts a download that began early when its player closes', async () => {
  const signals: AbortSignal[] = [];
  vi.stubGlobal('fetch', (address: string, { signal }: { signal: AbortSignal }) => {
    if (address.endsWith('/replay/'))
      return Promise.resolve(Response.json({ type: 'asciicast', src: '/file/' }));
    signals.push(signal);
    return new Promise(() => undefined);
  });
  await beginReplay(new QueryClient(), 'id');
  await renderHook(() => useRecording('/file/', 0));
  cleanup();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

it('leaves a desktop, and a recording that is refused, to their players', async () => {
  const addresses: string[] = [];
  const answers = [
    Response.json({ type: 'desktop', src: '/desktop/' }),
    Response.json({ code: 'not_found', detail: 'no' }, { status: 404 }),
  ];
  vi.stubGlobal('fetch', (address: string) => {
    addresses.push(address);
    return Promise.resolve(answers.shift());
  });
  await beginReplay(new QueryClient(), 'id');
  await beginReplay(new QueryClient(), 'id');
  expect(addresses).toHaveLength(2);
});
