import { useSyncExternalStore } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { words } from '../words.ts';
import styles from './Workspace.module.css';
import type { Workspace } from './workspace.ts';

/** Notice of closed tabs; its button restores them with their sessions. */
export function ClosedTabNotice({ workspace }: { readonly workspace: Workspace }) {
  const count = useSyncExternalStore(workspace.subscribe, workspace.parting);
  return (
    <div className={styles.closed} role="status">
      {count > 0 ? (
        <div>
          {t(words.tabsClosed, { count })}
          <button type="button" onClick={() => workspace.reopen()}>
            {t(words.undo)}
          </button>
        </div>
      ) : null}
    </div>
  );
}
