import type { ErrorCode, Problem } from '@sallyport/contract';
import type { Bus } from '../../../platform/bus/bus.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import type { TargetKind } from '../../connections/index.ts';

export interface InvitationOptions {
  readonly db: Db;
  readonly bus: Bus;
  readonly audit: AuditWriter;
  /** Returns true if the setting currently allows invitations. */
  readonly isAllowed: () => boolean;
  /** Returns why a user may not use the account of a session; undefined if the user may. */
  readonly refusalOf: (
    guest: GuestOrigin,
    assetId: string,
    systemUserId: string,
    kind: TargetKind,
  ) => Promise<Problem | undefined>;
}

/** A guest, and the address and kind of client; conditions of permissions depend on both. */
export interface GuestOrigin {
  readonly userId: string;
  readonly remoteAddr: string | null;
  readonly loginFrom: 'WT' | 'ST';
  readonly loginId?: string;
}

/** An invitation as the owner of a session requests it. */
export interface InvitationRequest {
  readonly mayType: boolean;
  /** 0: valid until the session ends. */
  readonly minutes: number;
  /** Username of the only user who may accept the invitation. */
  readonly forUsername: string | null;
}

/** An event in the visit of a guest to a live session. */
export type GuestEvent = { readonly date: Date } & (
  | { readonly what: 'joined'; readonly invitation: string; readonly remoteAddr: string | null }
  | { readonly what: 'left'; readonly invitation: string }
  /** The server ended the visit together with the invitation. */
  | { readonly what: 'ended'; readonly invitation: string; readonly reason: ErrorCode }
  /** The session has ended together with all its invitations. */
  | { readonly what: 'over'; readonly session: string }
);
