import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach } from 'vitest';
import { OverlayHost } from '../kit/overlay-host.tsx';

afterEach(cleanup);

/** Renders a part of the terminal with its providers: theme, data cache and dialogs. */
export function renderTerminalPart(part: ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        {part}
        <OverlayHost />
      </QueryClientProvider>
    </MantineProvider>,
  );
}
