import './styles.css';
import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError, setFailureListener } from './api.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { showFailures } from './failures.tsx';
import { startLanguage } from './i18n/index.ts';
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

/** What every page stands in: theme, data cache, dialogs, toasts, and a net under crashes. */
export function AppProviders({ children }: { readonly children: ReactNode }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} colorSchemeManager={colorSchemeManager} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <ModalsProvider modalProps={{ centered: true }}>
          <Notifications position="top-right" limit={4} containerWidth={360} />
          <ErrorBoundary>{children}</ErrorBoundary>
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Starts one of the small apps: language, theme, failures, then the page itself. */
export function startApp(page: ReactNode): void {
  startLanguage();
  startTheme();
  setFailureListener(showFailures);
  const root = document.getElementById('root');
  if (!root) throw new Error('the page has no root element');
  createRoot(root).render(
    <StrictMode>
      <AppProviders>{page}</AppProviders>
    </StrictMode>,
  );
}
