import { useEffect, useEffectEvent } from 'react';

/** Keyboard shortcuts of every page. */
interface PageKeys {
  /** `/`: focus the search of the list. */
  readonly search: () => void;
  /** `j`: focus the first row of the list. */
  readonly rows: () => void;
  /** `?`: show the shortcuts. */
  readonly shortcuts: () => void;
  /** Ctrl+K, or ⌘K on a Mac; also inside of fields. */
  readonly palette: () => void;
}

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function useKeys({ search, rows, shortcuts, palette }: PageKeys): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { key, altKey, shiftKey, target } = event;
    const hasCommand = event.ctrlKey || event.metaKey;
    const chosen =
      hasCommand && !altKey && !shiftKey && key.toLowerCase() === 'k'
        ? palette
        : hasCommand || altKey || isField(target)
          ? undefined
          : key === '/'
            ? search
            : key === 'j'
              ? rows
              : key === '?'
                ? shortcuts
                : undefined;
    if (!chosen) return;
    event.preventDefault();
    chosen();
  });
  useEffect(() => {
    const { documentElement } = document;
    documentElement.addEventListener('keydown', press);
    return () => documentElement.removeEventListener('keydown', press);
  }, []);
}
