import { useComputedColorScheme } from '@mantine/core';
import type { TreeNode } from '@sallyport/contract';
import { type CSSProperties, useEffect, useEffectEvent } from 'react';
import { ConnectionBanner } from '../../kit/connection/ConnectionBanner.tsx';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { paletteOf } from '../../kit/page/palettes.ts';
import type { ResultsProps } from '../../kit/palette/option.ts';
import { PaletteFrame } from '../../kit/palette/PaletteFrame.tsx';
import { PasswordLine } from '../PasswordLine.tsx';
import { copySelection } from '../session/clipboard-behavior.ts';
import { settingsStore } from '../settings/settings-store.ts';
import type { AccountWish } from '../tabs/session-snapshot.ts';
import { loadAsset } from '../tree/load-branch.ts';
import { groupFound } from '../tree/tree-rows.ts';
import { words as windowWords } from '../words.ts';
import { closeTabs, useLeaveWarning } from './close-tabs.ts';
import { SidePanel } from './SidePanel.tsx';
import { type ShortcutAction, useShortcuts } from './shortcuts.ts';
import { ClosedTabNotice } from './TabStrip.tsx';
import { TerminalPanes } from './TerminalPanes.tsx';
import { useVisibleHeight } from './useFullScreen.ts';
import {
  useWorkspaceWindow,
  type WorkspaceDialog,
  type WorkspaceWindow,
} from './useWorkspaceWindow.ts';
import styles from './Workspace.module.css';
import { WorkspaceBar } from './WorkspaceBar.tsx';
import { words } from './words.ts';
import { CLIPBOARD_TOOLS, Workspace } from './workspace.ts';

/** Handles the keyboard shortcuts of the terminal window. */
function useWorkspaceShortcuts({
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
  const open = (dialog: WorkspaceDialog) => {
    // The dialog may still load. Keys typed meanwhile must not reach the shell.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    setDialog(dialog);
  };
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
    snippets: () => open('snippets'),
    larger: () => settingsStore.change({ fontSize: settings.fontSize + 1 }),
    smaller: () => settingsStore.change({ fontSize: settings.fontSize - 1 }),
    help: () => open('help'),
  };
  useShortcuts((wanted) => {
    if (typeof wanted === 'number') workspace.dispatch({ type: 'number', number: wanted });
    // Leave the paste to the browser, which reads the clipboard without asking.
    else if (wanted === 'paste') return false;
    else actions[wanted]();
    return true;
  });
}

async function connect(workspace: Workspace, asset: string, wish: AccountWish): Promise<void> {
  let nodes: readonly TreeNode[] = [];
  try {
    nodes = await loadAsset(asset);
  } catch {
    // A malformed or unknown id gives the same message as one that is not granted.
  }
  const [leaf] = groupFound(nodes).flatMap(({ assets }) => assets);
  if (leaf) workspace.open(leaf, { wish });
  else toast.error(t(windowWords.assetNotGranted));
}

/** Returns true unless the page was reloaded: a reload must not open another shell. */
function isFresh(): boolean {
  const [navigation] = performance.getEntriesByType('navigation');
  return !(navigation instanceof PerformanceNavigationTiming) || navigation.type === 'navigate';
}

/** Restores the tabs of this window, and connects to the asset that the address names. */
function useLoginTo(workspace: Workspace, asset: string | null, wish: AccountWish): void {
  useEffect(() => {
    // A second run of this effect does nothing.
    if (!workspace.claim(asset)) return;
    // Loading the profile redirects visitors without a sign-in session to the sign-in page.
    void workspace
      .restore()
      .then((restored) =>
        asset !== null && (isFresh() || !restored) ? connect(workspace, asset, wish) : undefined,
      )
      .catch(() => undefined);
  }, [workspace, asset, wish]);
}

const OVERLAYS = '[role="dialog"], [role="menu"], [role="alertdialog"]';
/** A row of the asset panel; its menu returns the focus to the row. */
const ASSET_ROW = '[data-kind]';

/**
 * Returns the focus after every dialog and menu of the window: to the row of the asset that opened
 * it, otherwise through `restore`.
 */
function useKeyboardReturn(restore: (before: HTMLElement | null) => void): void {
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

const WorkspaceDialogs = lazyComponent(() =>
  import('./WorkspaceDialogs.tsx').then((module) => module.WorkspaceDialogs),
);

// One set of terminals per window, outside of React: they must survive a remount.
const workspace = new Workspace();

const PaletteResults = lazyComponent(() =>
  import('./PaletteResults.tsx').then((module) => module.PaletteResults),
);
const Results = (props: ResultsProps) => <PaletteResults {...props} workspace={workspace} />;

interface Props {
  /** The asset to connect to at once. */
  readonly loginTo: string | null;
  /** The account to connect with. */
  readonly wish: AccountWish;
  /** A window for one terminal, without a panel by default. */
  readonly single: boolean;
}

/** The terminal window: the granted assets, the open terminals, the tools. */
export function WorkspaceScreen({ loginTo, wish, single }: Props) {
  const workspaceWindow = useWorkspaceWindow(workspace, single);
  const { state, settings, dialog, inviting } = workspaceWindow;
  const scheme = useComputedColorScheme('dark', { getInitialValueInEffect: false });
  useVisibleHeight();
  useKeyboardReturn((before) => {
    if (!workspace.focusActive() && before?.isConnected) before.focus();
  });
  useLeaveWarning(workspace);
  useLoginTo(workspace, loginTo, wish);
  useWorkspaceShortcuts(workspaceWindow);
  useEffect(() => workspace.setPageScheme(scheme), [scheme]);
  useEffect(() => {
    const tab = state.tabs.find(({ id }) => id === state.active);
    document.title = `${tab ? `${tab.title} · ` : ''}${t(windowWords.title)} · Sallyport`;
  }, [state]);
  const { background: ground, foreground: ink } = paletteOf(
    settings.scheme === 'auto' ? scheme : settings.scheme,
  );
  return (
    <div
      className={styles.window}
      style={{ '--terminal-ground': ground, '--terminal-ink': ink } as CSSProperties}
    >
      <ConnectionBanner />
      <PasswordLine />
      <WorkspaceBar {...workspaceWindow} />
      <div className={styles.body}>
        <SidePanel {...workspaceWindow} />
        <TerminalPanes {...workspaceWindow} />
      </div>
      <ClosedTabNotice workspace={workspace} />
      {dialog === 'palette' && (
        <PaletteFrame
          label={t(words.palette)}
          results={Results}
          onClose={() => workspaceWindow.setDialog(null)}
        />
      )}
      {((dialog && dialog !== 'palette') || inviting) && <WorkspaceDialogs {...workspaceWindow} />}
    </div>
  );
}
