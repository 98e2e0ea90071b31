import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { settingsStore, useSettings } from '../settings/settings-store.ts';
import { shownTabs, type TabAsset } from '../tabs/tabs-state.ts';
import type { UploadWish } from '../upload/TerminalUploads.tsx';
import type { Workspace } from './workspace.ts';

const NARROW = '(max-width: 767px)';

export type WorkspaceDialog = 'settings' | 'help' | 'palette' | 'snippets';

/** The state of the terminal window: its panel, panes, dialogs and uploads. */
export type WorkspaceWindow = ReturnType<typeof useWorkspaceWindow>;

/** Returns the state of the terminal window and the functions that change it. */
export function useWorkspaceWindow(workspace: Workspace, single: boolean) {
  const state = useSyncExternalStore(workspace.subscribe, workspace.snapshot);
  const settings = useSettings();
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false }) ?? false;
  const [panelHidden, setPanelHidden] = useState(single);
  const [drawer, setDrawer] = useState(false);
  const [searching, setSearching] = useState<string | null>(null);
  const [dialog, setDialog] = useState<WorkspaceDialog | null>(null);
  // Undefined until the first upload, which loads the code for it.
  const [upload, setUpload] = useState<UploadWish | null>();
  const [inviting, setInviting] = useState<{
    readonly session: string;
    readonly asset: string;
  } | null>(null);
  const search = useRef<HTMLInputElement>(null);
  const panelOpen = settings.panelOpen && !panelHidden;
  const visible = narrow && state.active !== null ? [state.active] : shownTabs(state);
  useEffect(() => {
    // Simultaneous input needs several visible terminals.
    if (narrow) workspace.dispatch({ type: 'together', on: false });
  }, [narrow, workspace]);
  const togglePanel = () => {
    if (narrow) setDrawer(!drawer);
    else {
      setPanelHidden(false);
      settingsStore.change({ panelOpen: !panelOpen });
    }
  };
  return {
    workspace,
    state,
    settings,
    narrow,
    panelOpen,
    togglePanel,
    drawer,
    setDrawer,
    search,
    searching,
    setSearching,
    find: () => setSearching(state.active),
    dialog,
    setDialog,
    upload,
    setUpload,
    inviting,
    setInviting,
    visible,
    together: visible.length > 1 ? state.together : null,
    toggleTogether: () => workspace.dispatch({ type: 'together', on: !state.together }),
    connect: (asset: TabAsset, as?: 'choose') => {
      setDrawer(false);
      workspace.open(asset, as && { wish: { kind: as } });
    },
    uploadTo: (id: string, dropped?: UploadWish['dropped']) => {
      const session = workspace.session(id);
      if (session) setUpload({ session, ...(dropped && { dropped }) });
    },
    inviteTo: (id: string) => {
      const tab = workspace.session(id);
      if (tab?.liveSession) setInviting({ session: tab.liveSession, asset: tab.asset.hostname });
    },
  };
}
