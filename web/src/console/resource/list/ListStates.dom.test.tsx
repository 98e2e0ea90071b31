import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../../../kit/api.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { LoadFailed } from './ListStates.tsx';

it.each([
  [403, 'permission_denied', false],
  [403, 'csrf_failed', true],
  [500, 'internal', true],
  [0, 'unreachable', true],
])('offers to retry after a failure %i %s: %s', async (status, code, offers) => {
  const error = new ApiError(status, code, 'The reason.');
  await renderPage(<LoadFailed error={error} onRetry={vi.fn()} />);
  expect(screen.getByRole('alert').textContent).toContain('The reason.');
  expect(screen.queryByRole('button', { name: '重试' }) !== null).toBe(offers);
});
