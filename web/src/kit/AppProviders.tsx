import './styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError, setFailureListener } from './api.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { showFailures } from './failures.tsx';
import { startLanguage } from './i18n/index.ts';
import { OverlayHost } from './overlay-host.tsx';
import { colorSchemeManager, cssVariables, startTheme, theme } from './theme.ts';

/** The cache of what was read from the server. A refusal is final; only a lost connection is worth another try. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 1 && error instanceof ApiError && error.status === 0,
    },
  },
});

/** Whether dialogs and toasts are loaded with the page, or with the first of them. */
export type Dialogs = 'at once' | 'when needed';

/** What every page stands in: theme, data cache, dialogs, toasts, and a net under crashes. */
export function AppProviders({ children, dialogs }: { readonly children: ReactNode; readonly dialogs: Dialogs }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} colorSchemeManager={colorSchemeManager} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <ErrorBoundary>{children}</ErrorBoundary>
        <OverlayHost atOnce={dialogs === 'at once'} />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Starts one of the small apps: language, theme, failures, then the page itself. */
export function startApp(page: ReactNode, { dialogs = 'at once' }: { readonly dialogs?: Dialogs } = {}): void {
  startLanguage();
  startTheme();
  setFailureListener(showFailures);
  const root = document.getElementById('root');
  if (!root) throw new Error('the page has no root element');
  createRoot(root).render(
    <StrictMode>
      <AppProviders dialogs={dialogs}>{page}</AppProviders>
    </StrictMode>,
  );
}
