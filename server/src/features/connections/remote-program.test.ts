import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { folderOf, isStartable, programOf } from './remote-program.ts';

const run = promisify(execFile);

describe('the command line of a remote app', () => {
  it('passes the arguments of each type, and never a password', () => {
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

  it('quotes each parameter as one word', async () => {
    const target = `it's $(id) "x" \\ ; & | \`id\` *`;
    const program = programOf({
      type: 'custom',
      path: '/usr/bin/printf',
      params: { custom_cmdline: "'%s|%s'", custom_target: target, custom_username: 'a b' },
    });
    expect((await run('/bin/sh', ['-c', program])).stdout).toBe(`${target}|a b`);
    // As Windows parses it: a quote needs a backslash, and backslashes are special only before a
    // quote.
    const windows = programOf({
      type: 'custom',
      path: 'C:\\x.exe',
      params: { custom_target: 'a\\\\"b c\\', custom_username: '' },
    });
    expect(windows).toBe('"C:\\x.exe" "a\\\\\\\\\\"b c\\\\"');
  });

  it('starts in the folder of the program on Windows, and rejects command lines that the protocol cannot carry', () => {
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
