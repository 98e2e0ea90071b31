import { useComputedColorScheme } from '@mantine/core';
import { type CSSProperties, useEffect } from 'react';
import { ConnectionBanner } from '../../kit/connection/ConnectionBanner.tsx';
import { t } from '../../kit/i18n/index.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { paletteOf } from '../../kit/page/palettes.ts';
import type { AccountWish } from '../tabs/session-snapshot.ts';
import { words } from '../words.ts';
import { useLeaveWarning } from './close-tabs.ts';
import { SidePanel } from './SidePanel.tsx';
import { ClosedTabNotice } from './TabStrip.tsx';
import { TerminalPanes } from './TerminalPanes.tsx';
import { useVisibleHeight } from './useFullScreen.ts';
import { useKeyboardReturn } from './useKeyboardReturn.ts';
import { useLoginTo } from './useLoginTo.ts';
import { useWorkspaceShortcuts } from './useWorkspaceShortcuts.ts';
import { useWorkspaceWindow } from './useWorkspaceWindow.ts';
import styles from './Workspace.module.css';
import { WorkspaceBar } from './WorkspaceBar.tsx';
import { Workspace } from './workspace.ts';

const WorkspaceDialogs = lazyComponent(() =>
  import('./WorkspaceDialogs.tsx').then((module) => module.WorkspaceDialogs),
);

// One set of terminals per window, outside of React: they must survive a remount.
const workspace = new Workspace();

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
  const { state, settings } = workspaceWindow;
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
    document.title = `${tab ? `${tab.title} · ` : ''}${t(words.title)} · Sallyport`;
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
      <WorkspaceBar {...workspaceWindow} />
      <div className={styles.body}>
        <SidePanel {...workspaceWindow} />
        <TerminalPanes {...workspaceWindow} />
      </div>
      <ClosedTabNotice workspace={workspace} />
      <WorkspaceDialogs {...workspaceWindow} />
    </div>
  );
}
