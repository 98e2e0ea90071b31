import { useEffect, useState, useSyncExternalStore } from 'react';
import { ConnectingCard } from '../session/ConnectingCard.tsx';
import { CredentialsCard } from '../session/CredentialsCard.tsx';
import type { GrantedLeaf } from '../tree/tree-rows.ts';
import { ClosedCard } from './ClosedCard.tsx';
import { FileBrowser } from './FileBrowser.tsx';
import styles from './Files.module.css';
import { FileManager } from './file-manager.ts';
import { UploadQueue } from './upload-queue.ts';

interface Props {
  readonly asset: GrantedLeaf;
  readonly account: { readonly id: string; readonly label: string };
  readonly onOtherAccount: (() => void) | undefined;
}

// Uploads go on while other files are looked at.
const managers = new Set<FileManager>();
const uploads = new UploadQueue((place, path) => {
  for (const manager of managers) {
    if (manager.place.asset === place.asset && manager.place.account === place.account) manager.uploaded(path);
  }
});

/** The files of one asset as one account: the connection first, then the folders. */
export function PlaceFiles({ asset, account, onOtherAccount }: Props) {
  const [manager] = useState(() => new FileManager({ asset: asset.id, account: account.id }));
  const state = useSyncExternalStore(manager.subscribe, manager.snapshot);
  useEffect(() => {
    managers.add(manager);
    void manager.start();
    return () => {
      managers.delete(manager);
      manager.stop();
    };
  }, [manager]);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (uploads.open > 0) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, []);
  const { phase } = state;
  if (phase.kind === 'open') {
    return <FileBrowser manager={manager} state={state} opened={phase.opened} account={account.label} uploads={uploads} onOtherAccount={onOtherAccount} />;
  }
  return (
    <div className={styles.centered}>
      {phase.kind === 'connecting' ? (
        <ConnectingCard
          hostname={asset.hostname}
          stage={phase.stage}
          host={phase.host}
          gateway={phase.gateway}
          account={account.label}
          onCancel={() => manager.cancel()}
        />
      ) : phase.kind === 'asking' ? (
        <CredentialsCard
          key={phase.reason}
          hostname={asset.hostname}
          username={phase.username}
          reason={phase.reason}
          onAnswer={(username, password) => void manager.start({ username, password })}
          onCancel={() => manager.cancel()}
        />
      ) : (
        <ClosedCard phase={phase} onReconnect={() => void manager.start()} onOtherAccount={onOtherAccount} />
      )}
    </div>
  );
}
