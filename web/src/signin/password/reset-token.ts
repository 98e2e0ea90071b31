/**
 * The token of a reset link: in the fragment, which neither servers nor logs see; older links use
 * the query.
 */
export function resetToken({
  hash,
  search,
}: {
  readonly hash: string;
  readonly search: string;
}): string {
  return (
    new URLSearchParams(hash.replace(/^#/, '')).get('token') ??
    new URLSearchParams(search).get('token') ??
    ''
  );
}
