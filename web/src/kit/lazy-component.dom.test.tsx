import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { lazyComponent } from './lazy-component.tsx';

it('shows the error in place of a part that cannot be loaded, and keeps the rest of the page', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const Part = lazyComponent<() => null>(() => Promise.reject(new Error('offline')));
  render(
    <MantineProvider>
      <p>the list</p>
      <Part />
    </MantineProvider>,
  );
  expect((await screen.findByRole('alert')).textContent).toContain('offline');
  expect(screen.getByText('the list')).toBeTruthy();
});
