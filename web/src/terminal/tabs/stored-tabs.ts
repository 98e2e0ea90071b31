import type { TabAsset } from './tabs-state.ts';

const STORAGE_KEY = 'sallyport-terminal-tabs';

/** A stored tab: enough to connect to the same server with the same account again. */
export interface StoredTab {
  readonly asset: TabAsset;
  readonly title: string;
  readonly account: string | null;
  /** The session that was open in it. */
  readonly session: string | null;
}

export interface StoredTabs {
  /** Owner of the tabs; another user may sign in with the same browser. */
  readonly person: string;
  readonly tabs: readonly StoredTab[];
  readonly active: number;
  /** Indexes of the tabs in the split. */
  readonly split: readonly number[];
}

function isTab(value: unknown): value is StoredTab {
  if (typeof value !== 'object' || value === null) return false;
  const { asset, title, account, session } = value as Partial<StoredTab>;
  const isOptional = (part: unknown) => part === null || typeof part === 'string';
  if (
    typeof title !== 'string' ||
    !isOptional(account) ||
    !isOptional(session) ||
    typeof asset !== 'object' ||
    asset === null
  )
    return false;
  return [asset.id, asset.hostname, asset.ip].every((part) => typeof part === 'string');
}

/** The user's tabs in this window before the reload; null if none are stored. */
export function storedTabs(person: string): StoredTabs | null {
  try {
    const stored = JSON.parse(
      sessionStorage.getItem(STORAGE_KEY) ?? 'null',
    ) as Partial<StoredTabs> | null;
    if (stored?.person !== person || !Array.isArray(stored.tabs)) return null;
    const split = Array.isArray(stored.split)
      ? stored.split.filter((index) => typeof index === 'number')
      : [];
    return {
      person,
      tabs: stored.tabs.filter(isTab),
      active: typeof stored.active === 'number' ? stored.active : 0,
      split,
    };
  } catch {
    return null;
  }
}

/** Stores the tabs of this window for a reload. */
export function storeTabs(tabs: StoredTabs): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(tabs));
  } catch {
    // Without storage a reload loses the tabs.
  }
}
