import { MantineProvider } from '@mantine/core';
import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, it, vi } from 'vitest';
import { MemoryServer } from '../testing/memory-server.ts';
import type { GuardResult } from './start/guard.ts';

beforeEach(() => vi.resetModules());
afterEach(() => {
  cleanup();
  vi.doUnmock('./start/guard.ts');
  vi.doUnmock('./router.tsx');
  // Files share modules, so the next one must not get these.
  vi.resetModules();
});

/** Opens the console with a result of the guard and a router that fails if `reason` is given. */
async function openConsole(result: GuardResult, reason?: string) {
  new MemoryServer();
  vi.doMock('./start/guard.ts', () => ({ runGuard: async () => result, SIGN_IN_DELAY: 0 }));
  vi.doMock('./router.tsx', () => ({
    buildRouter: () => {
      throw new Error(reason);
    },
  }));
  const { Console } = await import('./Console.tsx');
  const { OverlayHost } = await import('../kit/dialogs/overlay-host.tsx');
  const { t } = await import('../kit/i18n/index.ts');
  const { words } = await import('./base/words.ts');
  render(
    <MantineProvider env="test">
      <Console />
      <OverlayHost />
    </MantineProvider>,
  );
  return t(words.startFailed);
}

const ready = { kind: 'ready', session: {} } as GuardResult;

it.each<[string, GuardResult, string?]>([
  ['the routes cannot be built', ready, 'two routes have one path'],
  [
    'the screens cannot be chosen',
    { kind: 'failed', error: new Error('two routes have one path') },
  ],
])(
  'shows a toast, and a page with the reason and another try, when %s',
  async (...[, result, reason]) => {
    const title = await openConsole(result, reason);
    const page = (await screen.findByRole('heading', { level: 1, name: title })).closest('[role]');
    within(page as HTMLElement).getByText('two routes have one path');
    within(page as HTMLElement).getByRole('button');
    await screen.findByText((text, element) => text.includes(title) && element?.tagName !== 'H1');
  },
);
