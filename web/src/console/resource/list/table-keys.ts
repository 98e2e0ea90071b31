import type { KeyboardEvent } from 'react';

const CONTROLS = 'a[href], button:not([disabled]), input:not([disabled])';

/** The place among `count` that a key leads to from `at`; `undefined` when it leads nowhere. */
export function nextPlace(key: string, at: number, count: number): number | undefined {
  const next = {
    ArrowDown: at + 1,
    ArrowRight: at + 1,
    ArrowUp: at - 1,
    ArrowLeft: at - 1,
    Home: 0,
    End: count - 1,
  }[key];
  return next !== undefined && next !== at && next >= 0 && next < count ? next : undefined;
}

const controlsOf = (row: Element | undefined) => [
  ...(row?.querySelectorAll<HTMLElement>(CONTROLS) ?? []),
];

/**
 * Walks through a table by keyboard: up, down, Home and End lead to the same control of another row, left and right to its neighbours in
 * the row. The heading belongs to it, so that sorting is one step above the first row.
 */
export function walkTable(event: KeyboardEvent<HTMLTableElement>): void {
  const { key, target, currentTarget, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (altKey || ctrlKey || metaKey || shiftKey || !(target instanceof HTMLElement)) return;
  // Where something is typed, arrows belong to the text.
  if (target instanceof HTMLInputElement && target.type !== 'checkbox') return;
  const row = target.closest('tr');
  if (!row) return;
  const controls = controlsOf(row);
  const at = controls.indexOf(target);
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const next = nextPlace(key, at, controls.length);
    if (next === undefined) return;
    event.preventDefault();
    controls[next]?.focus();
    return;
  }
  const rows = [...currentTarget.querySelectorAll('tr')].filter(
    (one) => controlsOf(one).length > 0,
  );
  const place = nextPlace(key, rows.indexOf(row), rows.length);
  if (place === undefined) return;
  event.preventDefault();
  const others = controlsOf(rows[place]);
  // The same kind of control where there is one, the last one otherwise: rows may have fewer actions.
  others[Math.min(at, others.length - 1)]?.focus();
}
