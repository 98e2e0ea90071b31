import type { QueryClient } from '@tanstack/react-query';

/** Maximum milliseconds to wait, for pages that query nothing or poll. */
const LIMIT = 4_000;

/**
 * Resolves once a page has the answers of its first queries. Parts of the frame that can wait load
 * then, and leave a slow line to the page.
 */
export function firstQueries(client: QueryClient, limit = LIMIT): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(finish, limit);
    let isFetching = client.isFetching() > 0;
    const stop = client.getQueryCache().subscribe(() => {
      if (isFetching && client.isFetching() === 0) finish();
      isFetching = client.isFetching() > 0;
    });
  });
}
