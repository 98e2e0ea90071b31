import { useEffect, useEffectEvent } from 'react';

/** The keys that work on every page. */
interface PageKeys {
  /** `/`: to the search of the list. */
  readonly search: () => void;
  /** `?`: the list of keys. */
  readonly shortcuts: () => void;
  /** Ctrl+K, on a Mac ⌘K. From a field, too. */
  readonly palette: () => void;
}

const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Listens to the keys that work on every page. */
export function useKeys({ search, shortcuts, palette }: PageKeys): void {
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
