import type { TreeNode } from '@sallyport/contract';
import { useEffect } from 'react';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import type { AccountWish } from '../tabs/session-snapshot.ts';
import { loadAsset } from '../tree/load-branch.ts';
import { groupFound } from '../tree/tree-rows.ts';
import { words } from '../words.ts';
import type { Workspace } from './workspace.ts';

async function connect(workspace: Workspace, asset: string, wish: AccountWish): Promise<void> {
  let nodes: readonly TreeNode[] = [];
  try {
    nodes = await loadAsset(asset);
  } catch {
    // A malformed or unknown id gives the same message as one that is not granted.
  }
  const [leaf] = groupFound(nodes).flatMap(({ assets }) => assets);
  if (leaf) workspace.open(leaf, { wish });
  else toast.error(t(words.assetNotGranted));
}

/** Returns true unless the page was reloaded: a reload must not open another shell. */
function isFresh(): boolean {
  const [navigation] = performance.getEntriesByType('navigation');
  return !(navigation instanceof PerformanceNavigationTiming) || navigation.type === 'navigate';
}

/** Restores the tabs of this window, and connects to the asset that the address names. */
export function useLoginTo(workspace: Workspace, asset: string | null, wish: AccountWish): void {
  useEffect(() => {
    // A second run of this effect does nothing.
    if (!workspace.claim(asset)) return;
    // Loading the profile redirects visitors without a sign-in session to the sign-in page.
    void workspace
      .restore()
      .then((restored) =>
        asset !== null && (isFresh() || !restored) ? connect(workspace, asset, wish) : undefined,
      )
      .catch(() => undefined);
  }, [workspace, asset, wish]);
}
