import { useCallback, useEffect, useSyncExternalStore } from 'react';

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

/**
 * Keeps `--visible-height` at the visible height: a phone's keyboard covers the page without
 * resizing it.
 */
export function useVisibleHeight(): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return;
    const measure = () =>
      document.documentElement.style.setProperty('--visible-height', `${viewport.height}px`);
    measure();
    viewport.addEventListener('resize', measure);
    return () => viewport.removeEventListener('resize', measure);
  }, []);
}
