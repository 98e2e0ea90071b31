/** Inviting a colleague into a live web terminal, over HTTP. */

/** How long an invitation may be valid, in minutes; 0 lasts until the session ends. */
export const INVITATION_MINUTES: readonly number[] = [5, 15, 60, 0];

/** One invitation of a session. */
export interface SessionInvitation {
  readonly id: string;
  /** Whether the guest may type, and not only watch. */
  readonly may_type: boolean;
  /** The username that it is for; null for the first one with the link. */
  readonly for_username: string | null;
  /** Who opened it; null as long as nobody did. */
  readonly guest: string | null;
  /** `open`: nobody has come yet. `joined`: the guest is in. `left`: the guest was in, and may come back. `ended`: it is over. */
  readonly state: 'open' | 'joined' | 'left' | 'ended';
  readonly date_created: string;
  /** Null when it lasts until the session ends. */
  readonly date_expired: string | null;
  readonly date_accepted: string | null;
  readonly date_joined: string | null;
  readonly date_left: string | null;
  readonly remote_addr: string | null;
  readonly date_ended: string | null;
  readonly end_reason: string | null;
}

/** What the owner of a session sees of its invitations. */
export interface SessionSharing {
  /** Whether the setting allows to invite. */
  readonly is_allowed: boolean;
  readonly invitations: readonly SessionInvitation[];
}

/** A new invitation, with the secret of its link: it is shown once and stored nowhere. */
export interface NewSessionInvitation extends SessionInvitation {
  readonly secret: string;
}

/** What a guest learns of the session behind a link. */
export interface AcceptedInvitation {
  readonly invitation: string;
  readonly session: string;
  readonly user: string;
  readonly asset: string;
  readonly system_user: string;
  readonly may_type: boolean;
}
