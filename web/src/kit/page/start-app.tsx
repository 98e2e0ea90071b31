import '../app-styles.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError, setFailureListener } from '../api.ts';
import { watchConnection } from '../connection/connection.ts';
import { OverlayHost } from '../dialogs/overlay-host.tsx';
import { showFailures } from '../failures.tsx';
import { startPage } from './start-page.tsx';

/** The query cache. A rejection is final; only a lost connection is retried. */
export const queryClient = new QueryClient({
  defaultOptions: {
    // Without a network a request fails at once instead of pausing.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 1 && error instanceof ApiError && error.status === 0,
    },
  },
});

/** Milliseconds before the page begins to look for newer versions of itself. */
const LATE = 20_000;

/** Starts the console or a terminal page: error reports, query cache, dialogs and toasts. */
export function startApp(page: ReactNode): void {
  setFailureListener(showFailures);
  watchConnection(queryClient);
  // Not part of the first load.
  setTimeout(async () => (await import('../new-version/new-version.ts')).watchVersion(), LATE);
  startPage(
    <QueryClientProvider client={queryClient}>{page}</QueryClientProvider>,
    <OverlayHost />,
  );
}
