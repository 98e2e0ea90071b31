/** Invitations into a live web terminal, over HTTP. */

/** Minutes an invitation is valid; 0: until the session ends. */
export const INVITATION_MINUTES: readonly number[] = [5, 15, 60, 0];

export interface SessionInvitation {
  readonly id: string;
  /** True if the guest may type. */
  readonly may_type: boolean;
  /** The invited username; null: the first user with the link. */
  readonly for_username: string | null;
  /** The guest who opened it; null before. */
  readonly guest: string | null;
  /**
   * `open`: not used yet. `joined`: the guest is present. `left`: the guest may return. `ended`: no
   * longer valid.
   */
  readonly state: 'open' | 'joined' | 'left' | 'ended';
  readonly date_created: string;
  /** Null if it lasts until the session ends. */
  readonly date_expired: string | null;
  readonly date_accepted: string | null;
  readonly date_joined: string | null;
  readonly date_left: string | null;
  readonly remote_addr: string | null;
  readonly date_ended: string | null;
  readonly end_reason: string | null;
}

/** The invitations of a session, for its owner. */
export interface SessionSharing {
  /** True if the setting allows invitations. */
  readonly is_allowed: boolean;
  readonly invitations: readonly SessionInvitation[];
}

/** A new invitation with the secret of its link, which is shown once and not stored. */
export interface NewSessionInvitation extends SessionInvitation {
  readonly secret: string;
}

/** Facts for a guest about the session of a link. */
export interface AcceptedInvitation {
  readonly invitation: string;
  readonly session: string;
  readonly user: string;
  readonly asset: string;
  readonly system_user: string;
  readonly may_type: boolean;
}
