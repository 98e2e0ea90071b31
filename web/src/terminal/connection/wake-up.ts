/** Calls when the network is back, and when somebody looks at the page again; returns how to stop. Outside of a page nothing wakes up. */
export function onWakeUp(listener: () => void): () => void {
  if (typeof document === 'undefined') return () => undefined;
  window.addEventListener('online', listener);
  document.addEventListener('visibilitychange', listener);
  return () => {
    window.removeEventListener('online', listener);
    document.removeEventListener('visibilitychange', listener);
  };
}
