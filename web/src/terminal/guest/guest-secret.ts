const KEPT = 'sallyport-invitation';
const SECRET = /^#([\w-]{20,64})$/;

/**
 * The secret of the link that led here. It is taken out of the address, where people might see it, and kept by this tab alone,
 * so that it is still there after the sign-in and after a reload.
 */
export function takeSecret(): string | null {
  const given = SECRET.exec(window.location.hash)?.[1];
  if (given === undefined) return sessionStorage.getItem(KEPT);
  sessionStorage.setItem(KEPT, given);
  window.history.replaceState(null, '', window.location.pathname);
  return given;
}
