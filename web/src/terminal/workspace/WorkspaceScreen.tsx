import { ActionIcon, Tooltip, useComputedColorScheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type CSSProperties, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { ask } from '../../kit/confirm.ts';
import { ConnectionBanner } from '../../kit/connection/ConnectionBanner.tsx';
import { t } from '../../kit/i18n/index.ts';
import { Loading, lazyComponent } from '../../kit/lazy-component.tsx';
import { Mark } from '../../kit/Mark.tsx';
import type { ResultsProps } from '../../kit/palette/option.ts';
import { PaletteFrame } from '../../kit/palette/PaletteFrame.tsx';
import { paletteOf } from '../../kit/palettes.ts';
import { ResizeEdge } from '../../kit/ResizeEdge.tsx';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '../icons.ts';
import { copySelection, pasteClipboard } from '../session/clipboard-behavior.ts';
import { SessionPane } from '../session/SessionPane.tsx';
import { PANEL_WIDTHS } from '../settings/settings.ts';
import { settingsStore, useSettings } from '../settings/settings-store.ts';
import type { AccountWish } from '../tabs/session-tab.ts';
import { shownTabs, type TabAsset } from '../tabs/tabs-state.ts';
import { AssetPanel } from '../tree/AssetPanel.tsx';
import type { UploadWish } from '../upload/TerminalUploads.tsx';
import { words } from '../words.ts';
import { type ShortcutAction, useShortcuts } from './shortcuts.ts';
import { ClosedTabNotice, TabStrip } from './TabStrip.tsx';
import { Toolbar } from './Toolbar.tsx';
import { useVisibleHeight } from './useFullScreen.ts';
import { useKeyboardReturn } from './useKeyboardReturn.ts';
import { useLoginTo } from './useLoginTo.ts';
import { Welcome } from './Welcome.tsx';
import styles from './Workspace.module.css';
import { words as ownWords } from './words.ts';
import { CLIPBOARD_TOOLS, Workspace } from './workspace.ts';

const SettingsDialog = lazyComponent(() =>
  import('./SettingsDialog.tsx').then((module) => module.SettingsDialog),
);

const PanelDrawer = lazyComponent(() =>
  import('./PanelDrawer.tsx').then((module) => module.PanelDrawer),
);

const PaletteResults = lazyComponent(() =>
  import('./PaletteResults.tsx').then((module) => module.PaletteResults),
);

const SnippetsDialog = lazyComponent(() =>
  import('../snippets/SnippetsDialog.tsx').then((module) => module.SnippetsDialog),
);

const HelpDialog = lazyComponent(() =>
  import('./HelpDialog.tsx').then((module) => module.HelpDialog),
);

const TerminalUploads = lazyComponent(() =>
  import('../upload/TerminalUploads.tsx').then((module) => module.TerminalUploads),
);

const InviteDialog = lazyComponent(() =>
  import('../invite/InviteDialog.tsx').then((module) => module.InviteDialog),
);

/** Delay before the code of the search is loaded: the terminal comes first. */
const PALETTE_AHEAD = 8_000;

const NARROW = '(max-width: 767px)';

// One set of terminals per window, outside of React: they must survive a remount.
const workspace = new Workspace();

function Results(props: ResultsProps) {
  return <PaletteResults {...props} workspace={workspace} />;
}

/** Asks before the user leaves the page and thereby disconnects running sessions. */
function useLeaveWarning(): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (workspace.liveCount() > 0) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, []);
}

function closeTabs(ids: readonly string[]): void {
  const live = workspace.liveCount(ids);
  if (ids.length < 2 || live === 0) {
    workspace.close(ids);
    return;
  }
  ask({
    title: t(words.closeLiveTitle),
    message: t(words.closeLive, { count: live }),
    confirm: t(words.closeTab),
    danger: true,
    onConfirm: () => workspace.close(ids),
  });
}

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
  const state = useSyncExternalStore(workspace.subscribe, workspace.snapshot);
  const settings = useSettings();
  const scheme = useComputedColorScheme('dark', { getInitialValueInEffect: false });
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false }) ?? false;
  const [panelHidden, setPanelHidden] = useState(single);
  const [drawer, setDrawer] = useState(false);
  const [searching, setSearching] = useState<string | null>(null);
  const [dialog, setDialog] = useState<'settings' | 'help' | 'palette' | 'snippets' | null>(null);
  // Undefined until the first upload, which loads the code for it.
  const [upload, setUpload] = useState<UploadWish | null>();
  const [inviting, setInviting] = useState<{
    readonly session: string;
    readonly asset: string;
  } | null>(null);
  const search = useRef<HTMLInputElement>(null);
  const panelOpen = settings.panelOpen && !panelHidden;

  useVisibleHeight();
  useKeyboardReturn((before) => {
    if (!workspace.focusActive() && before?.isConnected) before.focus();
  });
  useLeaveWarning();
  useEffect(() => {
    const timer = setTimeout(() => void PaletteResults.preload(), PALETTE_AHEAD);
    return () => clearTimeout(timer);
  }, []);
  useLoginTo(workspace, loginTo, wish);
  useEffect(() => workspace.setPageScheme(scheme), [scheme]);
  useEffect(() => {
    const tab = state.tabs.find(({ id }) => id === state.active);
    document.title = `${tab ? `${tab.title} · ` : ''}${t(words.title)} · Sallyport`;
  }, [state]);

  const visible = narrow && state.active !== null ? [state.active] : shownTabs(state);
  const together = visible.length > 1 ? state.together : null;
  const toggleTogether = () => workspace.dispatch({ type: 'together', on: !state.together });
  useEffect(() => {
    // Simultaneous input needs several visible terminals.
    if (narrow) workspace.dispatch({ type: 'together', on: false });
  }, [narrow]);

  const togglePanel = () => {
    if (narrow) setDrawer(!drawer);
    else {
      setPanelHidden(false);
      settingsStore.change({ panelOpen: !panelOpen });
    }
  };
  const connect = (asset: TabAsset, as?: 'choose') => {
    setDrawer(false);
    workspace.open(asset, as && { wish: { kind: as } });
  };
  const uploadTo = (id: string, dropped?: UploadWish['dropped']) => {
    const session = workspace.session(id);
    if (session) setUpload({ session, ...(dropped && { dropped }) });
  };
  const inviteTo = (id: string) => {
    const tab = workspace.session(id);
    if (tab?.liveSession) setInviting({ session: tab.liveSession, asset: tab.asset.hostname });
  };
  const find = () => setSearching(state.active);
  const actions: Readonly<Record<ShortcutAction, () => void>> = {
    find,
    copy: () => workspace.active && void copySelection(workspace.active, CLIPBOARD_TOOLS),
    paste: () => undefined,
    next: () => workspace.dispatch({ type: 'step', by: 1 }),
    previous: () => workspace.dispatch({ type: 'step', by: -1 }),
    duplicate: () => state.active && workspace.duplicate(state.active),
    split: () => !narrow && workspace.split(),
    together: toggleTogether,
    close: () => state.active && closeTabs([state.active]),
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

  const { background: ground, foreground: ink } = paletteOf(
    settings.scheme === 'auto' ? scheme : settings.scheme,
  );
  const panel = <AssetPanel onConnect={connect} searchRef={search} />;
  const panelLabel = t(panelOpen && !narrow ? words.hidePanel : words.showPanel);
  const PanelIcon =
    panelOpen && !narrow ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand;
  return (
    <div
      className={styles.window}
      style={{ '--terminal-ground': ground, '--terminal-ink': ink } as CSSProperties}
    >
      <ConnectionBanner />
      <header className={styles.bar}>
        <Tooltip label={panelLabel}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            aria-label={panelLabel}
            aria-expanded={narrow ? drawer : panelOpen}
            onClick={togglePanel}
          >
            <PanelIcon size={18} />
          </ActionIcon>
        </Tooltip>
        <a
          className={styles.brand}
          href="/ui/"
          aria-label={`Sallyport · ${t(words.console)}`}
          title={t(words.console)}
        >
          <span className={styles.mark} aria-hidden="true">
            <Mark size={22} />
          </span>
          <span className={styles.name}>Sallyport</span>
        </a>
        <TabStrip
          state={state}
          workspace={workspace}
          onUpload={uploadTo}
          onInvite={inviteTo}
          onCloseTabs={closeTabs}
        />
        <Toolbar
          hasTab={state.active !== null}
          together={together}
          onSplit={() => workspace.split()}
          onTogether={toggleTogether}
          onFind={find}
          onSnippets={() => setDialog('snippets')}
          onSettings={() => setDialog('settings')}
          onHelp={() => setDialog('help')}
        />
      </header>
      <div className={styles.body}>
        {panelOpen && !narrow ? (
          <nav
            className={styles.panel}
            style={{ width: settings.panelWidth }}
            aria-label={t(words.myAssets)}
          >
            {panel}
            <ResizeEdge
              label={t(words.panelWidth)}
              width={settings.panelWidth}
              limits={PANEL_WIDTHS}
              onWidth={(width = PANEL_WIDTHS.usual) => settingsStore.change({ panelWidth: width })}
            />
          </nav>
        ) : null}
        {narrow ? (
          <Loading>
            <PanelDrawer opened={drawer} onClose={() => setDrawer(false)}>
              {panel}
            </PanelDrawer>
          </Loading>
        ) : null}
        <main className={styles.panes} data-panes={visible.length > 1 ? visible.length : undefined}>
          {state.tabs.length === 0 ? (
            <Welcome onConnect={(asset) => connect(asset)} onShowPanel={() => setDrawer(true)} />
          ) : null}
          {state.tabs.map(({ id }) => {
            const session = workspace.session(id);
            return session ? (
              <SessionPane
                key={id}
                id={id}
                session={session}
                visible={visible.includes(id)}
                active={id === state.active}
                mark={
                  visible.length < 2
                    ? undefined
                    : together
                      ? 'together'
                      : id === state.active
                        ? 'front'
                        : 'beside'
                }
                onActive={() => workspace.dispatch({ type: 'activate', id })}
                searching={searching === id}
                onSearchClosed={() => {
                  setSearching(null);
                  session.view.focus();
                }}
                onPaste={() => void pasteClipboard(session, CLIPBOARD_TOOLS)}
                onDropped={(files) => uploadTo(id, files)}
                onClose={() => closeTabs([id])}
              />
            ) : null;
          })}
          <Loading>
            {upload === undefined ? null : (
              <TerminalUploads wish={upload} onClose={() => setUpload(null)} />
            )}
          </Loading>
        </main>
      </div>
      <ClosedTabNotice workspace={workspace} />
      {dialog === 'palette' ? (
        <PaletteFrame
          label={t(ownWords.palette)}
          results={Results}
          onClose={() => setDialog(null)}
        />
      ) : null}
      <Loading>
        {dialog === 'settings' ? <SettingsDialog onClose={() => setDialog(null)} /> : null}
        {dialog === 'snippets' ? (
          <SnippetsDialog session={workspace.active} onClose={() => setDialog(null)} />
        ) : null}
        {inviting ? <InviteDialog {...inviting} onClose={() => setInviting(null)} /> : null}
        {dialog === 'help' ? <HelpDialog onClose={() => setDialog(null)} /> : null}
      </Loading>
    </div>
  );
}
