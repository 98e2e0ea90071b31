import { t } from '../../kit/i18n/index.ts';
import { Mark } from '../../kit/page/Mark.tsx';
import { words } from '../words.ts';
import { closeTabs } from './close-tabs.ts';
import { PanelSwitch } from './PanelSwitch.tsx';
import { TabStrip } from './TabStrip.tsx';
import { Toolbar } from './Toolbar.tsx';
import type { WorkspaceWindow } from './useWorkspaceWindow.ts';
import styles from './Workspace.module.css';

/** The bar at the top: the panel button, the tabs and the tools. */
export function WorkspaceBar({
  workspace,
  state,
  narrow,
  panelOpen,
  drawer,
  togglePanel,
  together,
  toggleTogether,
  find,
  setDialog,
  uploadTo,
  inviteTo,
}: WorkspaceWindow) {
  return (
    <header className={styles.bar}>
      <PanelSwitch
        isDocked={panelOpen && !narrow}
        isOpen={narrow ? drawer : panelOpen}
        onClick={togglePanel}
      />
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
        onCloseTabs={(ids) => closeTabs(workspace, ids)}
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
  );
}
