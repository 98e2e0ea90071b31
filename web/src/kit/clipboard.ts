/**
 * Copies text and returns true on success. Falls back to `execCommand` without the clipboard API
 * (plain HTTP).
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const carrier = document.createElement('textarea');
  carrier.value = text;
  carrier.setAttribute('aria-hidden', 'true');
  carrier.style.cssText = 'position:fixed;opacity:0;pointer-events:none';
  document.body.append(carrier);
  carrier.select();
  const copied = document.execCommand('copy');
  carrier.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}

/** Reads the clipboard; returns `null` if the browser denies it. */
export async function readClipboard(): Promise<string | null> {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return null;
  }
}
