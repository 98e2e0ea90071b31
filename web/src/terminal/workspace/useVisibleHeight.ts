import { useEffect } from 'react';

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
