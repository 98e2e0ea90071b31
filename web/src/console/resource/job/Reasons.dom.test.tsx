import { type FailureReason, Role } from '@sallyport/contract';
import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { Reasons } from './Reasons.tsx';

afterEach(() => vi.unstubAllGlobals());

const ROWS: readonly FailureReason[] = [
  {
    state: 'skipped',
    reason: '没有可用的管理用户：需要用户名以及密码或密钥。',
    count: 22,
    hosts: [
      { asset: 'a-1', name: 'n-1' },
      { asset: 'a-2', name: 'n-2' },
    ],
    mend: 'admin_user',
  },
  {
    state: 'failed',
    reason: '磁盘已满。',
    count: 1,
    hosts: [{ asset: 'a-3', name: 'x-1' }],
    mend: null,
  },
];

it('shows one line per reason with its hosts, and links to the page that fixes the reason', async () => {
  new MemoryServer().on('GET', 'common/jobs/j-1/reasons/', () => ({ body: ROWS }));
  await renderPage(<Reasons job="j-1" />);
  const [skipped, failed] = await screen.findAllByRole('listitem');
  expect(skipped?.textContent).toContain('跳过 22 台主机');
  expect(skipped?.textContent).toContain('选择管理用户：');
  expect(skipped?.textContent).toContain('还有 20 台');
  expect(screen.getByRole('link', { name: 'n-1' }).getAttribute('href')).toMatch(/a-1\/update$/);
  expect(failed?.textContent).toContain('1 台主机失败');
  expect(screen.getByRole('link', { name: 'x-1' }).getAttribute('href')).toMatch(/a-3$/);
});

it('requests no reasons for a user without an administrator role', async () => {
  const server = new MemoryServer().on('GET', 'common/jobs/j-1/reasons/', () => ({ body: ROWS }));
  await renderPage(<Reasons job="j-1" />, { role: Role.User });
  await waitFor(() => expect(screen.queryByRole('listitem')).toBeNull());
  expect(server.requests).toEqual([]);
});
