import { LIVE_SOCKET_PATH, type LiveMessage } from '@sallyport/contract';
import { live, SERVER_CHANGED } from '../../kit/connection/connection.ts';
import { queryClient } from '../../kit/page/start-app.tsx';
import { findSummary } from '../base/resources.ts';
import { cacheKey } from '../resource/source.ts';

/**
 * Delays before reconnecting, with a random addition of up to half, so that a thousand consoles do
 * not reconnect at once.
 */
const RETRY_MILLISECONDS = [1_000, 3_000, 10_000, 30_000];

/** Maximum time in milliseconds until a lost connection is noticed. */
const LOST_MILLISECONDS = 60_000;

/** Resources that appear together: the tree shows assets with their nodes. */
const ALSO: Readonly<Record<string, string>> = { node: 'asset' };

/** Resources whose objects wait for the user, and the queries that show what waits. */
const WAITING = ['change_set', 'ticket', 'notification'];
const WAITING_QUERIES: readonly unknown[] = ['attention', 'change-sets'];

/**
 * Marks changed resources as stale; visible queries refetch. An open form keeps its initial values.
 */
export function markStale(resources: Readonly<Record<string, unknown>> | null): void {
  const predicate = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
    queryKey.at(-1) !== 'form';
  if (!resources || WAITING.some((name) => name in resources))
    void queryClient.invalidateQueries({
      predicate: ({ queryKey: [first] }) => WAITING_QUERIES.includes(first),
    });
  if (resources === null) {
    void queryClient.invalidateQueries({ queryKey: ['resource'], predicate });
    return;
  }
  const names = new Set(Object.keys(resources).flatMap((name) => [name, ALSO[name] ?? name]));
  for (const name of names) {
    // A child resource has the path of its parent in its query key.
    const path = findSummary(name)?.path.split('/{')[0];
    if (path) void queryClient.invalidateQueries({ queryKey: cacheKey({ path }), predicate });
  }
}

/** Receives changes of other users in the current organization, until the signal aborts. */
export function listenForChanges(organization: string, signal: AbortSignal): void {
  if (signal.aborted) return;
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let hasEnded = false;
  /** When the page was loaded; later, when the connection was lost. */
  let since = 0;
  /** Changes received while the page was hidden. */
  let missed: Record<string, unknown> | null = {};

  const hear = (resources: Readonly<Record<string, unknown>> | null) => {
    // The browser can show notifications while the page is hidden.
    if (resources && 'notification' in resources) markStale({ notification: null });
    if (document.visibilityState === 'visible') markStale(resources);
    else missed = resources && missed && { ...missed, ...resources };
  };
  const look = () => {
    if (document.visibilityState !== 'visible') return;
    if (missed === null || Object.keys(missed).length > 0) markStale(missed);
    missed = {};
  };
  const connect = () => {
    const address = new URL(LIVE_SOCKET_PATH, location.href);
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    address.searchParams.set('oid', organization);
    address.searchParams.set('age', String(Math.ceil(performance.now() - since)));
    socket = new WebSocket(address);
    socket.onopen = () => {
      live.isOpen = true;
      failures = 0;
      if (since !== 0) dispatchEvent(new Event(SERVER_CHANGED));
    };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as LiveMessage;
      if (message.type === 'changed') hear(message.resources);
      // The next request detects the end of the sign-in session and reports it.
      else hasEnded ||= message.code !== 'rights_changed';
    };
    socket.onclose = () => {
      if (live.isOpen) since = performance.now() - LOST_MILLISECONDS;
      live.isOpen = false;
      if (hasEnded) return;
      const wait = RETRY_MILLISECONDS[Math.min(failures, RETRY_MILLISECONDS.length - 1)] ?? 0;
      failures += 1;
      timer = setTimeout(connect, wait * (1 + Math.random() / 2));
    };
  };
  document.addEventListener('visibilitychange', look);
  signal.addEventListener('abort', () => {
    hasEnded = true;
    document.removeEventListener('visibilitychange', look);
    clearTimeout(timer);
    socket?.close();
  });
  connect();
}
