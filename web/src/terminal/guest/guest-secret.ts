const KEPT = 'sallyport-invitation';
const SECRET = /^#([\w-]{20,64})$/;

/**
 * Returns the secret of the invitation link. Removes it from the visible address. This tab keeps it
 * for the sign-in and for reloads.
 */
export function takeSecret(): string | null {
  const secret = SECRET.exec(window.location.hash)?.[1];
  if (secret === undefined) return sessionStorage.getItem(KEPT);
  sessionStorage.setItem(KEPT, secret);
  window.history.replaceState(null, '', window.location.pathname);
  return secret;
}
