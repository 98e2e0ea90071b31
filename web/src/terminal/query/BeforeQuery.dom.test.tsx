import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderTerminalPart } from '../../testing/render-terminal-part.tsx';
import type { ClosedCode } from '../connection/connection-state.ts';
import { Ended } from './BeforeQuery.tsx';

afterEach(() => vi.unstubAllGlobals());

it.each<[ClosedCode, string, boolean]>([
  ['connect_unreachable', '无法连接到服务器', false],
  ['connect_timeout', '无法连接到服务器', false],
  ['database_protocol', '连接失败', false],
  ['session_terminated', '会话被管理员终断', false],
  ['session_finished', '会话已结束', true],
])(
  'names %s in the title, and says of no other end that a session has ended',
  async (code, title, isEnd) => {
    vi.stubGlobal('fetch', async () => Response.json({ names: [], count: 0, requests: false }));
    const message = '10.0.0.9:3306 …';
    await renderTerminalPart(<Ended code={code} message={message} retry onReconnect={vi.fn()} />);
    const text = (await screen.findByRole('alert')).textContent ?? '';
    expect(text).toContain(title);
    expect(text.includes('会话已结束')).toBe(isEnd);
    expect(text.includes(message)).toBe(!isEnd);
    await screen.findByRole('button', { name: '重新连接' });
  },
);

it('says that the line to the bastion is lost if the server gave no reason', async () => {
  await renderTerminalPart(<Ended code="line_lost" message="" retry onReconnect={vi.fn()} />);
  expect((await screen.findByRole('alert')).textContent).toContain('连接已断开');
});
