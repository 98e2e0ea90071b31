import type { KeyboardEvent } from 'react';

const CONTROLS = 'a[href], button:not([disabled]), input:not([disabled])';

/** Returns the index among `count` that a key moves to from `at`, or undefined. */
export function nextPlace(key: string, at: number, count: number): number | undefined {
  const next = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowRight: at + 1,
    ArrowUp: at - 1,
    k: at - 1,
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
 * Keyboard navigation in a table: up, down (or `k`, `j`), Home and End move between rows at the
 * same control, left and right within the row. The header is the row above the first. A letter
 * runs the action of the row with this shortcut.
 */
export function walkTable(event: KeyboardEvent<HTMLTableElement>): void {
  const { key, target, currentTarget, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (altKey || ctrlKey || metaKey || shiftKey || !(target instanceof HTMLElement)) return;
  // In a text field, arrow keys move the cursor.
  if (target instanceof HTMLInputElement && target.type !== 'checkbox') return;
  const row = target.closest('tr');
  if (!row) return;
  // The focus is in the row, so the letter means its action.
  const act = /^[a-z]$/.test(key)
    ? row.querySelector<HTMLElement>(`[aria-keyshortcuts="${key}"]`)
    : null;
  if (act) {
    event.preventDefault();
    act.click();
    return;
  }
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
  // Focus the control at the same index, or the last one: rows may have fewer actions.
  others[Math.min(at, others.length - 1)]?.focus();
}
