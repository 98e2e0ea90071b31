/**
 * Problems that the user may see. Before a right first factor, none depends on the existence of an
 * account, except for refusals that a directory itself reports to every client: `source_locked`,
 * and `source_disabled` of some directories.
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
  'directory_ambiguous',
  'directory_no_username',
  'directory_other_person',
  'directory_other_source',
  'directory_username',
  'radius_unsigned',
  'source_disabled',
  'source_expired',
  'source_locked',
  'source_must_change',
  'source_password_expired',
  'source_proof_old',
  'source_refused',
  'source_wrong_place',
  'source_wrong_time',
  'connect_database_away',
]);
