import { type RefObject, useLayoutEffect, useRef } from 'react';

const KEPT = 'sallyport-top-area';
/** Milliseconds until the late notices of a page have arrived, also over a slow line. */
const COMPLETE_AFTER = 10_000;
/** A click ends before the page moves: between press and release it would miss its target. */
const ACTS = ['click', 'keydown', 'resize'] as const;

/** Returns the height that the top area had last, if the window had the width of now. */
function keptHeight(): number {
  const [width, height] = (localStorage.getItem(KEPT) ?? '').split(' ').map(Number);
  return width === window.innerWidth && height ? height : 0;
}

/** Returns true if this browser has not kept a height yet. */
export const isFirstVisit = (): boolean => keptHeight() === 0;

const keepHeight = (height: number) => localStorage.setItem(KEPT, `${window.innerWidth} ${height}`);

/**
 * Publishes the height of the top area to the styles of pages. Late notices would move the page:
 * the area starts with its last height, and gives it up after a while, or at the first act of the
 * user. Returns its reference.
 */
export function useTopArea(): RefObject<HTMLDivElement | null> {
  const top = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const area = top.current;
    if (!area) return;
    const kept = keptHeight();
    area.style.minHeight = `${kept}px`;
    // Sticky parts of a page stay below the top area.
    const observer = new ResizeObserver(() => {
      document.documentElement.style.setProperty('--top-area', `${area.offsetHeight}px`);
      if (area.offsetHeight > kept) keepHeight(area.offsetHeight);
    });
    observer.observe(area);
    const giveUp = () => {
      area.style.minHeight = '';
    };
    const timer = setTimeout(() => {
      giveUp();
      keepHeight(area.offsetHeight);
    }, COMPLETE_AFTER);
    for (const act of ACTS) window.addEventListener(act, giveUp, { capture: true });
    return () => {
      observer.disconnect();
      clearTimeout(timer);
      for (const act of ACTS) window.removeEventListener(act, giveUp, { capture: true });
    };
  }, []);
  return top;
}
