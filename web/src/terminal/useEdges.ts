import { type RefObject, useEffect } from 'react';

/**
 * Marks a row that scrolls sideways: `data-before` and `data-after` say on which side there is
 * more, so that its edge can fade there.
 */
export function useEdges(row: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = row.current;
    if (!element) return;
    const mark = () => {
      const { scrollLeft, clientWidth, scrollWidth } = element;
      element.toggleAttribute('data-before', scrollLeft > 1);
      element.toggleAttribute('data-after', scrollLeft + clientWidth < scrollWidth - 1);
    };
    mark();
    const size = new ResizeObserver(mark);
    const parts = new MutationObserver(mark);
    size.observe(element);
    parts.observe(element, { childList: true });
    element.addEventListener('scroll', mark, { passive: true });
    return () => {
      size.disconnect();
      parts.disconnect();
      element.removeEventListener('scroll', mark);
    };
  }, [row]);
}
