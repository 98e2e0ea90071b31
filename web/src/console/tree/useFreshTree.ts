import { asset } from '@sallyport/contract';
import { hashKey, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef } from 'react';
import { live, useConnection } from '../../kit/connection/connection.ts';
import { cacheKey } from '../resource/source.ts';

/** Polling interval without the live channel. */
const EVERY_MILLISECONDS = 30_000;

/** Debounce: one change makes several lists stale. */
const GATHER_MILLISECONDS = 100;

/**
 * Reloads a tree when assets change on this page, when the page becomes visible, when the server is
 * reachable again, and at an interval. While the returned ref is true, the page reloads the tree
 * itself.
 */
export function useFreshTree(readAgain: () => Promise<void>): RefObject<boolean> {
  const client = useQueryClient();
  const isReading = useRef(false);
  const { lost } = useConnection();
  const wasLost = useRef(lost);
  useEffect(() => {
    if (wasLost.current && !lost) void readAgain().catch(() => undefined);
    wasLost.current = lost;
  }, [lost, readAgain]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        // Skip the reload if the page loads the tree itself. The request layer shows errors.
        if (!isReading.current && document.visibilityState === 'visible')
          void readAgain().catch(() => undefined);
      }, GATHER_MILLISECONDS);
    };
    const prefix = cacheKey(asset);
    const ofAssets = hashKey(prefix);
    const unsubscribe = client.getQueryCache().subscribe((event) => {
      const isStale = event.type === 'updated' && event.action.type === 'invalidate';
      if (
        isStale &&
        !isReading.current &&
        hashKey(event.query.queryKey.slice(0, prefix.length)) === ofAssets
      )
        soon();
    });
    const every = setInterval(() => live.isOpen || soon(), EVERY_MILLISECONDS);
    document.addEventListener('visibilitychange', soon);
    return () => {
      unsubscribe();
      clearTimeout(timer);
      clearInterval(every);
      document.removeEventListener('visibilitychange', soon);
    };
  }, [client, readAgain]);
  return isReading;
}
