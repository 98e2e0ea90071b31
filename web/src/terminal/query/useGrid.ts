import { type RefObject, useEffect, useState } from 'react';

/**
 * The highest element that every browser can scroll. A longer result is scrolled by shares of it.
 */
const MOST_PIXELS = 8_000_000;
const SPARE = 6;

/** Returns the visible rows of a grid; `scrollTo` scrolls to a row. */
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
  // One scrolled pixel is one pixel of the rows unless the rows exceed the maximum height.
  const scale =
    height > place.view && total > height ? (total - place.view) / (height - place.view) : 1;
  const offset = place.top * scale;
  const first = Math.max(0, Math.floor(offset / rowHeight) - SPARE);
  const last = Math.min(count - 1, Math.ceil((offset + place.view) / rowHeight) + SPARE);

  useEffect(() => {
    const element = scroller.current;
    if (!element || scale === 1) return;
    // The wheel moves by pixels of the rows: unscaled, one step would skip thousands of rows.
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
    /** Offset of a row in pixels. */
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
