import { copySelection } from '../session/clipboard-behavior.ts';
import { settingsStore } from '../settings/settings-store.ts';
import { closeTabs } from './close-tabs.ts';
import { type ShortcutAction, useShortcuts } from './shortcuts.ts';
import type { WorkspaceWindow } from './useWorkspaceWindow.ts';
import { CLIPBOARD_TOOLS } from './workspace.ts';

/** Handles the keyboard shortcuts of the terminal window. */
export function useWorkspaceShortcuts({
  workspace,
  state,
  settings,
  narrow,
  panelOpen,
  togglePanel,
  toggleTogether,
  find,
  search,
  setDrawer,
  setDialog,
}: WorkspaceWindow): void {
  const actions: Readonly<Record<ShortcutAction, () => void>> = {
    find,
    copy: () => workspace.active && void copySelection(workspace.active, CLIPBOARD_TOOLS),
    paste: () => undefined,
    next: () => workspace.dispatch({ type: 'step', by: 1 }),
    previous: () => workspace.dispatch({ type: 'step', by: -1 }),
    duplicate: () => state.active && workspace.duplicate(state.active),
    split: () => !narrow && workspace.split(),
    together: toggleTogether,
    close: () => state.active && closeTabs(workspace, [state.active]),
    reopen: () => workspace.reopen(),
    reconnect: () => workspace.active && !workspace.active.isLive && workspace.active.reconnect(),
    panel: togglePanel,
    search: () => {
      if (narrow) setDrawer(true);
      else if (!panelOpen) togglePanel();
      requestAnimationFrame(() => search.current?.focus());
    },
    palette: () => setDialog('palette'),
    snippets: () => setDialog('snippets'),
    larger: () => settingsStore.change({ fontSize: settings.fontSize + 1 }),
    smaller: () => settingsStore.change({ fontSize: settings.fontSize - 1 }),
    help: () => setDialog('help'),
  };
  useShortcuts((wanted) => {
    if (typeof wanted === 'number') workspace.dispatch({ type: 'number', number: wanted });
    // Leave the paste to the browser, which reads the clipboard without asking.
    else if (wanted === 'paste') return false;
    else actions[wanted]();
    return true;
  });
}
