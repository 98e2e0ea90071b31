/**
 * Problems that the user may see. Before a right first factor, none depends on the existence of an
 * account.
 */
export const SHOWN_PROBLEMS: ReadonlySet<string> = new Set([
  'block_login',
  'block_address',
  'user_inactive',
  'mfa_unset',
  'sign_in_condition',
  'mfa_blocked',
  'too_many_requests',
  'directory_unavailable',
  'source_locked',
  'source_must_change',
  'source_proof_old',
  'connect_database_away',
]);
