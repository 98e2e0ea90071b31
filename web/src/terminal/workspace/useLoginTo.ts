import type { Profile, TreeNode } from '@sallyport/contract';
import { useEffect } from 'react';
import { api } from '../../kit/api.ts';
import { t } from '../../kit/i18n/index.ts';
import { toast } from '../../kit/toast.tsx';
import { loadAsset } from '../tree/load-branch.ts';
import { groupFound } from '../tree/tree-rows.ts';
import { words } from '../words.ts';
import type { Workspace } from './workspace.ts';

async function connect(workspace: Workspace, asset: string): Promise<void> {
  // This call redirects visitors who are not signed in to the sign-in page.
  await api.get<Profile>('users/profile/', { quiet: true });
  let found: readonly TreeNode[] = [];
  try {
    found = await loadAsset(asset);
  } catch {
    // A malformed or unknown id gives the same message as one that is not granted.
  }
  const [leaf] = groupFound(found).flatMap(({ assets }) => assets);
  if (leaf) workspace.open(leaf);
  else toast.error(t(words.assetNotGranted));
}

/** Connects at once to the asset that the address names. */
export function useLoginTo(workspace: Workspace, asset: string | null): void {
  useEffect(() => {
    // A reload of the page connects again; a second run of this effect does not.
    if (asset !== null && workspace.claim(asset)) void connect(workspace, asset).catch(() => undefined);
  }, [workspace, asset]);
}
