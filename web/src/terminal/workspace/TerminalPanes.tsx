import { lazyComponent } from '../../kit/lazy-component.tsx';
import { pasteClipboard } from '../session/clipboard-behavior.ts';
import { SessionPane } from '../session/SessionPane.tsx';
import { closeTabs } from './close-tabs.ts';
import type { WorkspaceWindow } from './useWorkspaceWindow.ts';
import { Welcome } from './Welcome.tsx';
import styles from './Workspace.module.css';
import { CLIPBOARD_TOOLS } from './workspace.ts';

const TerminalUploads = lazyComponent(() =>
  import('../upload/TerminalUploads.tsx').then((module) => module.TerminalUploads),
);

/** The terminals of all tabs, of which one or several are visible. */
export function TerminalPanes({
  workspace,
  state,
  visible,
  together,
  connect,
  setDrawer,
  searching,
  setSearching,
  upload,
  setUpload,
  uploadTo,
}: WorkspaceWindow) {
  const markOf = (id: string) => {
    if (visible.length < 2) return undefined;
    if (together) return 'together';
    return id === state.active ? 'front' : 'beside';
  };
  return (
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
            mark={markOf(id)}
            onActive={() => workspace.dispatch({ type: 'activate', id })}
            searching={searching === id}
            onSearchClosed={() => {
              setSearching(null);
              session.view.focus();
            }}
            onPaste={() => void pasteClipboard(session, CLIPBOARD_TOOLS)}
            onDropped={(files) => uploadTo(id, files)}
            onClose={() => closeTabs(workspace, [id])}
          />
        ) : null;
      })}
      {upload === undefined ? null : (
        <TerminalUploads wish={upload} onClose={() => setUpload(null)} />
      )}
    </main>
  );
}
