import { type RefObject, useEffect, useState } from 'react';

/**
 * The highest element that every browser can scroll. A longer result is scrolled by shares of it.
 */
const MOST_PIXELS = 8_000_000;
const SPARE = 6;

/** Which rows of a grid are in sight, also of a million; `scrollTo` brings a row into it. */
export function useGrid(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  headHeight: number,
) {
  const total = count * rowHeight;
  const height = Math.min(total, MOST_PIXELS);
  const [place, setPlace] = useState({ top: 0, view: 0 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = () =>
      setPlace({ top: element.scrollTop, view: Math.max(0, element.clientHeight - headHeight) });
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    measure();
    return () => {
      watcher.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [scroller, headHeight]);
  // Pixels of the scrolled element and of the rows are the same unless there are too many rows.
  const scale =
    height > place.view && total > height ? (total - place.view) / (height - place.view) : 1;
  const offset = place.top * scale;
  const first = Math.max(0, Math.floor(offset / rowHeight) - SPARE);
  const last = Math.min(count - 1, Math.ceil((offset + place.view) / rowHeight) + SPARE);

  useEffect(() => {
    const element = scroller.current;
    if (!element || scale === 1) return;
    // One turn of the wheel moves some rows, not some thousands.
    const wheel = (event: WheelEvent) => {
      if (event.deltaY === 0 || event.ctrlKey) return;
      event.preventDefault();
      element.scrollTop += (event.deltaY / scale) * (event.deltaMode === 1 ? rowHeight : 1);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, [scroller, scale, rowHeight]);

  return {
    first,
    last,
    height,
    /** Where a row is drawn. */
    topOf: (row: number) => row * rowHeight - offset + place.top,
    rowsInView: Math.max(1, Math.floor(place.view / rowHeight)),
    scrollTo(row: number) {
      const element = scroller.current;
      if (!element) return;
      const top = row * rowHeight;
      if (top < offset) element.scrollTop = top / scale;
      else if (top + rowHeight > offset + place.view)
        element.scrollTop = (top + rowHeight - place.view) / scale;
    },
  };
}
