import { useSyncExternalStore } from 'react';
import { handedOver, renamed, type Tab, type TabsOwner, visited } from './tab-list.ts';

const KEY = 'sallyport-visited';
const listeners = new Set<() => void>();

function isTab(value: unknown): value is Tab {
  if (typeof value !== 'object' || value === null) return false;
  const { path, address, title, affix } = value as Record<string, unknown>;
  return (
    typeof path === 'string' &&
    typeof address === 'string' &&
    typeof title === 'string' &&
    typeof affix === 'boolean'
  );
}

function isOwner(value: unknown): value is TabsOwner {
  if (typeof value !== 'object' || value === null) return false;
  const { person, organization, language } = value as Record<string, unknown>;
  return (
    typeof person === 'string' && typeof organization === 'string' && typeof language === 'string'
  );
}

interface Stored {
  readonly owner: TabsOwner | undefined;
  readonly tabs: readonly Tab[];
}

function restore(): Stored {
  try {
    const { owner, tabs } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as {
      owner?: unknown;
      tabs?: unknown;
    };
    return {
      owner: isOwner(owner) ? owner : undefined,
      tabs: Array.isArray(tabs) ? tabs.filter(isTab) : [],
    };
  } catch {
    return { owner: undefined, tabs: [] };
  }
}

let { owner, tabs } = restore();

const keep = () => sessionStorage.setItem(KEY, JSON.stringify({ owner, tabs }));

/** Replaces the visited tabs; they live as long as the browser's tab. */
export function setTabs(next: readonly Tab[]): void {
  if (next === tabs) return;
  tabs = next;
  keep();
  for (const listener of listeners) listener();
}

/** Loads the tabs of the current user; no tab is shown before. */
export function claimTabs(now: TabsOwner): void {
  const left = handedOver(tabs, owner, now);
  owner = now;
  keep();
  setTabs(left);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The visited tabs now, outside of components. */
export const currentTabs = () => tabs;

/** The visited tabs. */
export function useTabs(): readonly Tab[] {
  return useSyncExternalStore(subscribe, currentTabs);
}

/** Notes a visit. */
export const visit = (tab: Tab) => setTabs(visited(tabs, tab));

/** Names the tab of a path after the object it shows. */
export const nameTab = (path: string, title: string) => setTabs(renamed(tabs, path, title));

/** Drops tabs that the current role may not open (another person may have used this browser tab). */
export function keepTabs(allowed: (tab: Tab) => boolean): void {
  if (!tabs.every(allowed)) setTabs(tabs.filter(allowed));
}
