import { Button, Kbd } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { Mark } from '../../kit/page/Mark.tsx';
import { IconServer } from '../icons.ts';
import { pasteClipboard } from '../session/clipboard-behavior.ts';
import { SessionPane } from '../session/SessionPane.tsx';
import type { TabAsset } from '../tabs/tabs-state.ts';
import { words as windowWords } from '../words.ts';
import { closeTabs } from './close-tabs.ts';
import { recentAssets } from './recent.ts';
import type { WorkspaceWindow } from './useWorkspaceWindow.ts';
import styles from './Workspace.module.css';
import { words } from './words.ts';
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

const SHOWN_KEYS = [
  { key: 'E', label: words.keySearch },
  { key: 'F', label: words.keyFind },
  { key: '/', label: words.keyHelp },
] as const;

/** First steps, while no terminal is open. */
function Welcome({
  onConnect,
  onShowPanel,
}: {
  readonly onConnect: (asset: TabAsset) => void;
  readonly onShowPanel: () => void;
}) {
  const recent = recentAssets();
  return (
    <div className={styles.welcome}>
      <Mark size={56} />
      <h1>{t(windowWords.welcome)}</h1>
      <p className={styles.wideOnly}>{t(windowWords.welcomeHint)}</p>
      <div className={styles.narrowOnly}>
        <p>{t(windowWords.welcomeHintNarrow)}</p>
        <Button onClick={onShowPanel}>{t(windowWords.chooseAsset)}</Button>
      </div>
      {recent.length > 0 ? (
        <section aria-labelledby="recent-title" className={styles.recent}>
          <h2 id="recent-title">{t(windowWords.recent)}</h2>
          <ul>
            {recent.map((asset) => (
              <li key={asset.id}>
                <button type="button" onClick={() => onConnect(asset)}>
                  <IconServer size={16} aria-hidden="true" />
                  <span>{asset.hostname}</span>
                  <span className={styles.menuAddress}>{asset.ip}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <dl className={styles.welcomeKeys}>
        {SHOWN_KEYS.map(({ key, label }) => (
          <div key={key}>
            <dt>
              <Kbd>Ctrl</Kbd> <Kbd>Shift</Kbd> <Kbd>{key}</Kbd>
            </dt>
            <dd>{t(label)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
