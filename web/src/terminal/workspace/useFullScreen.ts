import { useCallback, useSyncExternalStore } from 'react';

function subscribe(listener: () => void): () => void {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
}

/** Returns the state of full screen, and a function that toggles it. */
export function useFullScreen(): readonly [boolean, () => void] {
  const full = useSyncExternalStore(subscribe, () => document.fullscreenElement !== null);
  const toggle = useCallback(() => {
    if (document.fullscreenElement) void document.exitFullscreen();
    // Some browsers have no full screen for pages.
    else document.documentElement.requestFullscreen?.().catch(() => undefined);
  }, []);
  return [full, toggle];
}
