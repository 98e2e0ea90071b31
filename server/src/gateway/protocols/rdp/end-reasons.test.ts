import { expect, it } from 'vitest';
import { endOfReason } from './end-reasons.ts';

/** The names of MS-RDPBCGR, section 2.2.5.1.1, except protocol errors (from 0x10C9 on). */
const REASONS = [
  [0x00, 'NONE', undefined],
  [0x01, 'RPC_INITIATED_DISCONNECT', 'ended'],
  [0x02, 'RPC_INITIATED_LOGOFF', 'logged_off'],
  [0x03, 'IDLE_TIMEOUT', 'limit'],
  [0x04, 'LOGON_TIMEOUT', 'limit'],
  [0x05, 'DISCONNECTED_BY_OTHERCONNECTION', 'taken'],
  [0x06, 'OUT_OF_MEMORY', undefined],
  [0x07, 'SERVER_DENIED_CONNECTION', 'refused'],
  [0x09, 'SERVER_INSUFFICIENT_PRIVILEGES', 'refused'],
  [0x0a, 'SERVER_FRESH_CREDENTIALS_REQUIRED', 'refused'],
  [0x0b, 'RPC_INITIATED_DISCONNECT_BYUSER', 'ended'],
  [0x0c, 'LOGOFF_BY_USER', 'logged_off'],
  [0x0f, 'CLOSE_STACK_ON_DRIVER_NOT_READY', undefined],
  [0x10, 'SERVER_DWM_CRASH', undefined],
  [0x11, 'CLOSE_STACK_ON_DRIVER_FAILURE', undefined],
  [0x12, 'CLOSE_STACK_ON_DRIVER_IFACE_FAILURE', undefined],
  [0x17, 'SERVER_WINLOGON_CRASH', undefined],
  [0x18, 'SERVER_CSRSS_CRASH', undefined],
  [0x19, 'SERVER_SHUTDOWN', 'ended'],
  [0x1a, 'SERVER_REBOOT', 'ended'],
  [0x100, 'LICENSE_INTERNAL', 'license'],
  [0x101, 'LICENSE_NO_LICENSE_SERVER', 'license'],
  [0x102, 'LICENSE_NO_LICENSE', 'license'],
  [0x103, 'LICENSE_BAD_CLIENT_MSG', 'license'],
  [0x104, 'LICENSE_HWID_DOESNT_MATCH_LICENSE', 'license'],
  [0x105, 'LICENSE_BAD_CLIENT_LICENSE', 'license'],
  [0x106, 'LICENSE_CANT_FINISH_PROTOCOL', 'license'],
  [0x107, 'LICENSE_CLIENT_ENDED_PROTOCOL', 'license'],
  [0x108, 'LICENSE_BAD_CLIENT_ENCRYPTION', 'license'],
  [0x109, 'LICENSE_CANT_UPGRADE_LICENSE', 'license'],
  [0x10a, 'LICENSE_NO_REMOTE_CONNECTIONS', 'license'],
  [0x400, 'CB_DESTINATION_NOT_FOUND', undefined],
  [0x10c9, 'UNKNOWNPDUTYPE2', undefined],
  [0xffff_ffff, 'no reason of the list', undefined],
] as const;

it('has a sentence for each reason of a server that the user can act on, and guesses none', () => {
  for (const [code, name, end = 'code'] of REASONS) {
    const { how, number } = endOfReason(code) ?? {};
    expect([name, how]).toEqual([name, code === 0 ? undefined : `connect_desktop_${end}`]);
    // A reason without a sentence is shown by its number.
    expect(number === undefined).toBe(end !== 'code' || code === 0);
    if (number !== undefined) expect(Number(number)).toBe(code);
  }
});

it('says that the graphics of a server cannot be shown where its reason is graphics', () => {
  for (const code of [0x112d, 0x112e, 0x112f])
    expect(endOfReason(code)).toEqual({ how: 'connect_rdp_no_bitmaps' });
  for (const code of [0x112c, 0x1130]) expect(endOfReason(code)?.how).toBe('connect_desktop_code');
});
