import { clientInfo, SECURITY, windowsAccount } from '@sallyport/rdp';
import { Refusal } from '../../refusal.ts';
import type { DesktopRequest } from '../target-desktop.ts';

/** The account to sign in with; `host` appears in error messages. */
export interface RdpLogin {
  readonly host: string;
  readonly username: string;
  readonly password: string;
  readonly isConsole: boolean;
}

/**
 * The Client Info PDU. With network level authentication the server already has the password.
 * @throws Refusal
 */
export function signInOf(
  { host, username, password }: RdpLogin,
  protocol: number,
  { program = '', folder = '' }: DesktopRequest,
): Buffer {
  try {
    return clientInfo(
      windowsAccount(username, protocol === SECURITY.networkLevel ? '' : password),
      { program, folder },
    );
  } catch {
    throw new Refusal('connect_credentials', { host, account: username });
  }
}
