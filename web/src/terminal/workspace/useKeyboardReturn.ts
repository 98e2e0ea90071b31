import { useEffect, useEffectEvent } from 'react';

const OVERLAYS = '[role="dialog"], [role="menu"], [role="alertdialog"]';
/** A row of the asset panel; its menu returns the focus to the row. */
const ASSET_ROW = '[data-kind]';

/**
 * Returns the focus after every dialog and menu of the window: to the row of the asset that opened
 * it, otherwise through `restore`.
 */
export function useKeyboardReturn(restore: (before: HTMLElement | null) => void): void {
  const giveBack = useEffectEvent(restore);
  useEffect(() => {
    let overlay: Element | null = null;
    let before: HTMLElement | null = null;
    let last: HTMLElement | null = null;

    const settle = () => {
      if (!overlay || (overlay.isConnected && overlay.contains(document.activeElement))) return;
      const { activeElement } = document;
      // One overlay may open another.
      if (activeElement?.closest(OVERLAYS)) return;
      const opener = before;
      overlay = null;
      before = null;
      closing.disconnect();
      const nowhere = activeElement === null || activeElement === document.body;
      // The chosen action may have moved the focus on purpose.
      if (!nowhere && activeElement !== opener && !activeElement.matches('[aria-haspopup]')) return;
      if (opener?.isConnected && opener.matches(ASSET_ROW)) opener.focus();
      else giveBack(opener);
    };
    const closing = new MutationObserver(() => {
      if (overlay && !overlay.isConnected) queueMicrotask(settle);
    });
    const onFocusIn = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      const inside = target.closest(OVERLAYS);
      if (inside) {
        before ??= last;
        overlay = inside;
        closing.observe(document.body, { childList: true, subtree: true });
      } else {
        last = target;
        // A menu that closes focuses its own button.
        if (overlay) requestAnimationFrame(settle);
      }
    };
    document.addEventListener('focusin', onFocusIn);
    return () => {
      document.removeEventListener('focusin', onFocusIn);
      closing.disconnect();
    };
  }, []);
}
