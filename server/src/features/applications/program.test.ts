import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { folderOf, isStartable, programOf } from './program.ts';

const run = promisify(execFile);

describe('the command line of a remote app', () => {
  it('has of each type what its program understands, and never a password', () => {
    const path = 'C:\\Program Files\\App\\app.exe';
    const params = {
      chrome_target: 'https://erp.example.com/?a=1 2',
      chrome_username: 'clerk',
      mysql_workbench_ip: '10.0.0.7:3306',
      mysql_workbench_username: 'reader',
      vmware_target: 'vc.example.com',
      vmware_username: 'DOMAIN\\op',
      custom_cmdline: '--mode kiosk',
      custom_target: 'a b',
      custom_username: 'clerk',
      chrome_password: 'secret',
      custom_password: 'secret',
    };
    expect(programOf({ type: 'chrome', path, params: { ...params, custom_cmdline: '' } })).toBe(
      `"${path}" "https://erp.example.com/?a=1 2"`,
    );
    expect(
      programOf({ type: 'mysql_workbench', path, params: { ...params, custom_cmdline: '' } }),
    ).toBe(`"${path}" --query reader@10.0.0.7:3306`);
    expect(
      programOf({ type: 'vmware_client', path, params: { ...params, custom_cmdline: '' } }),
    ).toBe(`"${path}" -s vc.example.com -u DOMAIN\\op`);
    expect(programOf({ type: 'custom', path, params })).toBe(`"${path}" --mode kiosk "a b" clerk`);
    expect(programOf({ type: 'chrome', path, params: {} })).toBe(`"${path}"`);
  });

  it('keeps each parameter one word, whatever is in it', async () => {
    const target = `it's $(id) "x" \\ ; & | \`id\` *`;
    const program = programOf({
      type: 'custom',
      path: '/usr/bin/printf',
      params: { custom_cmdline: "'%s|%s'", custom_target: target, custom_username: 'a b' },
    });
    expect((await run('/bin/sh', ['-c', program])).stdout).toBe(`${target}|a b`);
    // As Windows reads it: a quote needs a backslash, and backslashes count only before one.
    const windows = programOf({
      type: 'custom',
      path: 'C:\\x.exe',
      params: { custom_target: 'a\\\\"b c\\', custom_username: '' },
    });
    expect(windows).toBe('"C:\\x.exe" "a\\\\\\\\\\"b c\\\\"');
  });

  it('begins in the folder of its program on Windows, and is refused where the protocol cannot carry it', () => {
    expect(folderOf({ type: 'custom', path: 'C:\\Program Files\\App\\app.exe', params: {} })).toBe(
      'C:\\Program Files\\App',
    );
    expect(folderOf({ type: 'custom', path: 'C:\\app.exe', params: {} })).toBe('C:\\');
    expect(folderOf({ type: 'custom', path: '/usr/bin/xterm', params: {} })).toBe('');
    const app = (custom_target: string, path = 'C:\\x.exe') => ({
      type: 'custom',
      path,
      params: { custom_target },
    });
    expect(isStartable(app('fine'))).toBe(true);
    expect(isStartable(app('x'.repeat(300)))).toBe(false);
    expect(isStartable(app('two\nlines'))).toBe(false);
    expect(isStartable(app('fine', 'C:\\x.exe" /c "y'))).toBe(false);
  });
});
