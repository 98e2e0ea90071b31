import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach } from 'vitest';
import { OverlayHost } from '../kit/dialogs/overlay-host.tsx';

afterEach(cleanup);

/** Renders a part of the terminal with its providers: theme, data cache and dialogs. */
export async function renderTerminalPart(part: ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  // Awaited: without awaiting `act`, React drops renders that suspend inside of it.
  return act(async () =>
    render(
      <MantineProvider env="test">
        <QueryClientProvider client={client}>
          {part}
          <OverlayHost />
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
}
