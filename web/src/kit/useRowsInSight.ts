import { type RefObject, useCallback, useEffect, useState } from 'react';

const SPARE = 8;

/**
 * Returns the range of visible rows in a list of equal row heights, with some spare rows on both
 * sides.
 */
export function rowsInSight(
  count: number,
  height: number,
  top: number,
  view: number,
): { readonly first: number; readonly last: number } {
  const first = Math.max(0, Math.floor(top / height) - SPARE);
  return { first, last: Math.min(count - 1, Math.ceil((top + view) / height) + SPARE) };
}

/**
 * Tracks the scroll position of an element and returns the rows to draw; a tree of ten thousand
 * nodes draws some thirty.
 */
export function useRowsInSight(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  height: number,
) {
  const [place, setPlace] = useState({ top: 0, view: 0 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () => setPlace({ top: element.scrollTop, view: element.clientHeight });
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      watcher.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [scroller]);

  const scrollTo = useCallback(
    (index: number) => {
      const element = scroller.current;
      if (!element) return;
      const top = index * height;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + height > element.scrollTop + element.clientHeight)
        element.scrollTop = top + height - element.clientHeight;
    },
    [scroller, height],
  );

  return {
    ...rowsInSight(count, height, place.top, place.view),
    total: count * height,
    scrollTo,
  };
}
