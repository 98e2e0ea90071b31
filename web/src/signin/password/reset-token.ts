/** The token of a reset link: behind the `#`, where no server and no log sees it; older links carry it as a query. */
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
