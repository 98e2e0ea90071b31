/**
 * POST /core/auth/welcome/ {token}: the facts for a person who opens an invitation link; 400
 * `reset_link_invalid`. The person sets a password with POST /core/auth/password/reset/
 * {token, new_password, agreed: true}, where `agreed` accepts that sessions are recorded.
 */
export interface WelcomeFacts {
  readonly username: string;
  readonly name: string;
  /** The person who created the account. */
  readonly invited_by: string;
  /** Organizations of the account by name; empty for the default one alone. */
  readonly organizations: readonly string[];
  /** The first servers and nodes by name that permissions give the account. */
  readonly targets: readonly string[];
  /** Number of all these servers and nodes. */
  readonly target_count: number;
  /** Time of the end of the access (ISO 8601), null without one. */
  readonly date_expired: string | null;
}
