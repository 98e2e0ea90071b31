/** Elements in which a digit is text or selects an entry by its name. */
const TAKES_DIGITS =
  'input, textarea, select, [contenteditable]:not([contenteditable="false"]), [role="tree"], [role="listbox"], [role="menu"], [role="combobox"], [role="slider"]';

/**
 * Returns the digit from 1 to 9 of a key event. Returns undefined if a field or a list of choices
 * takes the digit, or if a dialog is open.
 */
export function digitPressed(event: KeyboardEvent): number | undefined {
  if (
    !/^[1-9]$/.test(event.key) ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.shiftKey
  )
    return undefined;
  if (event.defaultPrevented || event.repeat || event.isComposing) return undefined;
  if (event.target instanceof Element && event.target.closest(TAKES_DIGITS)) return undefined;
  return document.querySelector('[role="dialog"], dialog[open], [role="menu"]')
    ? undefined
    : Number(event.key);
}
