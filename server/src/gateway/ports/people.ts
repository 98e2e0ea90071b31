import type { ErrorCode, Language } from '@sallyport/contract';

/** The user of a connection; already authenticated. */
export interface Person {
  readonly userId: string;
  /** As it is stored in session rows: `Name(username)`. */
  readonly display: string;
  readonly language: Language;
  readonly remoteAddr: string | null;
  /** `WT` from the web terminal, `ST` from an SSH client, `DT` from a client of a database. */
  readonly loginFrom: 'WT' | 'ST' | 'DT';
  /** The sign-in that this connection hangs on; `Hub.signOut` ends what belongs to it. */
  readonly loginId?: string;
}

/** A user who watches a session. */
export interface Viewer {
  readonly userId: string;
  readonly loginId: string;
  readonly organizationId: string;
  readonly remoteAddr: string | null;
  readonly language: Language;
  /** The viewer's terminal has to be drawn again after its size has changed: a window of the viewer's own, not a screen of our pages. */
  readonly redraws?: boolean;
}

/** What an invitation allows at this moment. */
export interface Invited {
  readonly session: string;
  readonly mayType: boolean;
  /** Null when it lasts as long as the session. */
  readonly validUntil: Date | null;
}

/** Invitations into live sessions. */
export interface Invitations {
  /** An invitation as it counts now for the guest who has accepted it. @throws Refusal when it does not */
  find(invitation: string, userId: string): Promise<Invited>;
  /** The guest is in, or was taken for gone. */
  joined(invitation: string, remoteAddr: string | null): Promise<void>;
  left(invitation: string): Promise<void>;
  /** The visit was ended, not by the guest: the invitation ends with it. */
  end(invitation: string, reason: ErrorCode): Promise<void>;
  /** A session is over, and with it what was left of its invitations. */
  sessionEnded(session: string): Promise<void>;
}

/** Somebody who comes with an invitation that is theirs. */
export interface Visit {
  readonly invitation: string;
  readonly person: Person & { readonly loginId: string };
  /** As of a viewer. */
  readonly redraws?: boolean;
}

/** Second factors that a permission asks for. */
export interface FreshFactors {
  /** Whether one was proved in a sign-in within so many minutes. */
  isRecent(loginId: string, minutes: number): Promise<boolean>;
  /** Whether the person has codes to type. */
  canType(userId: string): Promise<boolean>;
  /** Proves one by a code; throws an error with a code when it is wrong. */
  prove(typed: {
    readonly userId: string;
    readonly loginId: string;
    readonly code: string;
    readonly remoteAddress: string;
  }): Promise<void>;
}
