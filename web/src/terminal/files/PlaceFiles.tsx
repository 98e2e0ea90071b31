import { useEffect, useState, useSyncExternalStore } from 'react';
import type { GrantedLeaf } from '../tree/tree-rows.ts';
import frame from '../Window.module.css';
import { FileBrowser } from './FileBrowser.tsx';
import { FileManager } from './file-manager.ts';
import { PhaseCard } from './PhaseCard.tsx';
import { followUploads, uploads, warnOfUploads } from './uploads.ts';

interface Props {
  readonly asset: GrantedLeaf;
  readonly account: { readonly id: string; readonly label: string };
  readonly onOtherAccount: (() => void) | undefined;
}

/** The files of one asset as one account: the connection first, then the folders. */
export function PlaceFiles({ asset, account, onOtherAccount }: Props) {
  const [manager] = useState(() => new FileManager({ asset: asset.id, account: account.id }));
  const state = useSyncExternalStore(manager.subscribe, manager.snapshot);
  useEffect(() => {
    const unfollow = followUploads(manager);
    void manager.start();
    return () => {
      unfollow();
      manager.stop();
    };
  }, [manager]);
  useEffect(warnOfUploads, []);
  const { phase } = state;
  if (phase.kind === 'open') {
    return (
      <FileBrowser
        manager={manager}
        state={state}
        opened={phase.opened}
        account={account.label}
        uploads={uploads}
        onOtherAccount={onOtherAccount}
      />
    );
  }
  return (
    <div className={frame.centered}>
      <PhaseCard
        hostname={asset.hostname}
        account={account.label}
        manager={manager}
        phase={phase}
        onOtherAccount={onOtherAccount}
      />
    </div>
  );
}
