import { t } from '../../kit/i18n/index.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { ResizeEdge } from '../../kit/ResizeEdge.tsx';
import { PANEL_WIDTHS } from '../settings/settings.ts';
import { settingsStore } from '../settings/settings-store.ts';
import { AssetPanel } from '../tree/AssetPanel.tsx';
import { words } from '../words.ts';
import type { WorkspaceWindow } from './useWorkspaceWindow.ts';
import styles from './Workspace.module.css';

const PanelDrawer = lazyComponent(() =>
  import('./PanelDrawer.tsx').then((module) => module.PanelDrawer),
);

/** The granted assets: next to the terminals, or in a drawer on a narrow window. */
export function SidePanel({
  settings,
  narrow,
  panelOpen,
  drawer,
  setDrawer,
  search,
  connect,
}: WorkspaceWindow) {
  const panel = <AssetPanel onConnect={connect} searchRef={search} />;
  if (narrow)
    return (
      <PanelDrawer opened={drawer} onClose={() => setDrawer(false)}>
        {panel}
      </PanelDrawer>
    );
  if (!panelOpen) return null;
  return (
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
  );
}
