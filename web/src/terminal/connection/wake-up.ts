/**
 * Calls the listener when the network returns and when the page becomes visible. Returns a function
 * that stops it. Does nothing outside of a page.
 */
export function onWakeUp(listener: () => void): () => void {
  if (typeof document === 'undefined') return () => undefined;
  window.addEventListener('online', listener);
  document.addEventListener('visibilitychange', listener);
  return () => {
    window.removeEventListener('online', listener);
    document.removeEventListener('visibilitychange', listener);
  };
}
