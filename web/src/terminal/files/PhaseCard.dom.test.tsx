import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderTerminalPart } from '../../testing/render-terminal-part.tsx';
import { FileManager, type FilesPhase } from './file-manager.ts';
import { PhaseCard } from './PhaseCard.tsx';

afterEach(() => vi.unstubAllGlobals());

const show = (phase: Extract<FilesPhase, { kind: 'closed' }>) =>
  renderTerminalPart(
    <PhaseCard
      hostname="web-1"
      account="deploy"
      manager={new FileManager({ asset: 'a-1', account: 's-1' })}
      phase={phase}
    />,
  );

it('names the administrators instead of a reconnection when no reviewer exists', async () => {
  const answer = { names: ['Li Wei(li.wei)'], count: 1, requests: false };
  vi.stubGlobal('fetch', async () => Response.json(answer));
  const message = '该连接须经审批，但没有其他用户可以审批，请联系管理员。';
  await show({ kind: 'closed', code: 'connect_approval_nobody', message, retry: false });
  const alert = await screen.findByRole('alert');
  await screen.findByText('管理员：Li Wei(li.wei)', { exact: false });
  expect(alert.textContent).toContain('连接未获批准');
  expect(alert.textContent).toContain(message);
  expect(screen.queryByRole('button')).toBeNull();
});

it.each([
  ['connect_unreachable', '无法连接到服务器'],
  ['connect_host_key', '主机密钥'],
  ['unreachable', '连接失败'],
])('says of %s what failed, not that a connection closed', async (code, title) => {
  await show({ kind: 'closed', code, message: '', retry: true });
  const { textContent } = await screen.findByRole('alert');
  expect(textContent).toContain(title);
  expect(textContent).not.toContain('已断开');
});

it('offers a reconnection after a lost connection', async () => {
  await show({ kind: 'closed', code: 'files_not_connected', message: '', retry: true });
  expect((await screen.findByRole('alert')).textContent).toContain('文件连接已断开');
  await screen.findByRole('button', { name: '重新连接' });
});
