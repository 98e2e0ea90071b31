import type { ErrorCode, Language } from '@sallyport/contract';

/** The authenticated user of a connection. */
export interface Person {
  readonly userId: string;
  /** As stored in session rows: `Name(username)`. */
  readonly display: string;
  readonly language: Language;
  readonly remoteAddr: string | null;
  /** `WT`: web terminal, `ST`: SSH client, `DT`: database client, `KT`: Kubernetes. */
  readonly loginFrom: 'WT' | 'ST' | 'DT' | 'KT';
  /** The sign-in of this connection. `Hub.signOut` ends its sessions. */
  readonly loginId?: string;
  /** The port of a forwarded connection. */
  readonly forwardPort?: number;
}

/** A person in a live session, with the address that the user has now (`Session.moveTo`). */
export type LivePerson = Omit<Person, 'remoteAddr'> & { remoteAddr: Person['remoteAddr'] };

/** The properties of a person that conditions of permissions depend on. */
export type Arriving = Pick<
  Person,
  'userId' | 'remoteAddr' | 'loginFrom' | 'loginId' | 'forwardPort'
>;

export interface Viewer {
  readonly userId: string;
  readonly loginId: string;
  readonly organizationId: string;
  readonly remoteAddr: string | null;
  readonly language: Language;
  /** The viewer's own terminal window needs a redraw after a size change. Our pages do not. */
  readonly redraws?: boolean;
}

/** The current rights of an invitation. */
export interface Invited {
  readonly session: string;
  readonly mayType: boolean;
  /** Null if it lasts until the session ends. */
  readonly validUntil: Date | null;
}

export interface Invitations {
  /**
   * Returns the current rights of a guest who accepted an invitation. @throws Refusal when it is
   * not valid
   */
  find(invitation: string, userId: string): Promise<Invited>;
  /** Records that the guest entered or left. */
  joined(invitation: string, remoteAddr: string | null): Promise<void>;
  left(invitation: string): Promise<void>;
  /** Ends the visit and its invitation for a reason other than the guest leaving. */
  end(invitation: string, reason: ErrorCode): Promise<void>;
  /** Ends the invitations of a finished session. */
  sessionEnded(session: string): Promise<void>;
}

/** A guest with an accepted invitation. */
export interface Visit {
  readonly invitation: string;
  readonly person: Person & { readonly loginId: string };
  /** See `Viewer.redraws`. */
  readonly redraws?: boolean;
}

/** Second factors that permissions require. */
export interface FreshFactors {
  /** Returns true if the sign-in proved a factor within this many minutes. */
  isRecent(loginId: string, minutes: number): Promise<boolean>;
  /** Returns true if the user has a factor with codes. */
  canType(userId: string): Promise<boolean>;
  /** Verifies a code. Throws an error with a code if it is wrong. */
  prove(typed: {
    readonly userId: string;
    readonly loginId: string;
    readonly code: string;
    readonly remoteAddress: string;
  }): Promise<void>;
}
