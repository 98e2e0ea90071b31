import { type RefObject, type UIEvent, useEffect, useRef } from 'react';

/**
 * Keeps a box scrolled to its end while content arrives, unless the user has scrolled up. `added`
 * changes with each addition; undefined if nothing is added.
 */
export function useStayAtEnd(added: unknown): {
  readonly ref: RefObject<(HTMLDivElement & HTMLPreElement) | null>;
  readonly onScroll: (event: UIEvent<HTMLElement>) => void;
} {
  const ref = useRef<HTMLDivElement & HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = ref.current;
    if (element && isAtEnd.current && added !== undefined) element.scrollTop = element.scrollHeight;
  }, [added]);
  return {
    ref,
    onScroll({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) {
      isAtEnd.current = scrollHeight - scrollTop - clientHeight < 8;
    },
  };
}
