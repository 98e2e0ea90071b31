import { type GrantedSystemUser, protocolOf, type SessionGuest } from '@sallyport/contract';
import type { SessionNotice } from '../connection/connection-events.ts';
import type { ConnectionState } from '../connection/connection-state.ts';
import type { Destination } from '../connection/terminal-connection.ts';
import type { DesktopTab } from '../desktop/desktop-tab.ts';
import type { Appearance } from '../view/terminal-view.ts';
import { offeredAccounts, usableAccounts } from './accounts.ts';
import type { TabAsset } from './tabs-state.ts';

/** The account of the tab, or the state of its choice. */
export type AccountChoice =
  | { readonly kind: 'loading' }
  /** The page was reloaded: it resumes its session, or waits for the user to connect again. */
  | { readonly kind: 'restored'; readonly account: string | null }
  | { readonly kind: 'failed'; readonly detail: string }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'asking';
      readonly accounts: readonly GrantedSystemUser[];
      readonly others: readonly GrantedSystemUser[];
    }
  | { readonly kind: 'chosen'; readonly account: GrantedSystemUser; readonly several: boolean };

/** Account to connect with: the usual one, a choice among the granted ones, or one by id. */
export type AccountWish =
  | { readonly kind: 'usual' }
  | { readonly kind: 'choose' }
  | { readonly kind: 'one'; readonly id: string };

export const USUAL: AccountWish = { kind: 'usual' };

export interface SessionSnapshot {
  readonly choice: AccountChoice;
  readonly connection: ConnectionState;
  /** Number of shells opened in this tab; above one, the screen has older text. */
  readonly opened: number;
  /** Guests who are in the session. */
  readonly guests: readonly SessionGuest[];
  /** Last notice of the server. */
  readonly notice: SessionNotice | null;
  /** The reason for which the server does not pass input; null while it passes. */
  readonly locked: string | null;
  /** The desktop of this tab, if its account opens a desktop. */
  readonly desktop: DesktopTab | null;
}

/** The state of a session before its server reports anything. */
export const NOTHING_SHOWN = { guests: [], notice: null, locked: null } as const;

export interface SessionEvents {
  readonly change: SessionSnapshot;
  readonly activity: 'output' | 'bell';
}

export interface SessionTools {
  readonly loadAccounts: (asset: string) => Promise<readonly GrantedSystemUser[]>;
  /** The account that the user chose last for an asset, if any. */
  readonly remembered: (asset: string) => Promise<string | undefined>;
  readonly remember: (asset: string, account: string) => void;
  readonly separator: () => string;
  readonly appearance: () => Appearance;
  readonly label: string;
}

/** Returns the account to connect with, or the accounts among which the user chooses. */
export function chooseAccount(
  granted: readonly GrantedSystemUser[],
  wish: AccountWish,
  remembered: string | undefined,
): AccountChoice {
  const usable = usableAccounts(granted);
  const [first] = usable;
  if (!first) return { kind: 'none' };
  const offered = wish.kind === 'usual' ? offeredAccounts(usable) : usable;
  const id = wish.kind === 'one' ? wish.id : wish.kind === 'usual' ? remembered : undefined;
  const account = usable.find((one) => one.id === id) ?? (offered.length === 1 ? first : undefined);
  if (account) return { kind: 'chosen', account, several: usable.length > 1 };
  return {
    kind: 'asking',
    accounts: offered,
    others: usable.filter((other) => !offered.includes(other)),
  };
}

/** The state of a desktop whose code is being loaded. */
export const CONNECTING: ConnectionState = {
  phase: 'connecting',
  stage: 'checking',
  host: null,
  gateway: false,
};

/** The state of a desktop whose code could not be loaded. */
export const REFUSED: ConnectionState = {
  phase: 'closed',
  code: 'line_refused',
  message: null,
  retry: true,
  session: null,
  stage: 'checking',
};

/** The destination of a connection to an asset with an account. */
export const destinationOf = (asset: TabAsset, account: GrantedSystemUser): Destination => ({
  asset: asset.id,
  isApp: asset.kind === 'remote_app',
  systemUser: account.id,
  protocol: protocolOf(account.protocol)?.name,
  pod: asset.pod,
});

/** Returns true if the open session can send a break. */
export const hasBreak = ({ choice, connection }: SessionSnapshot): boolean =>
  choice.kind === 'chosen' && choice.account.protocol === 'telnet' && connection.phase === 'open';
