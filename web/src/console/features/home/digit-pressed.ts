/** Where a digit is text, or finds a line by its name. */
const TAKES_DIGITS =
  'input, textarea, select, [contenteditable]:not([contenteditable="false"]), [role="tree"], [role="listbox"], [role="menu"], [role="combobox"], [role="slider"]';

/** The digit from 1 to 9 that a key means for the page itself; undefined while it is text of a field, belongs to a list of choices, or a dialog is open. */
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
