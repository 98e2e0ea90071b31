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

/** Replaces the visited tabs, stored for the lifetime of the browser tab. */
export function setTabs(next: readonly Tab[]): void {
  if (next === tabs) return;
  tabs = next;
  keep();
  for (const listener of listeners) listener();
}

/** Loads the tabs of the current user. Before this call the list is empty. */
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

/** The visited tabs, for code outside of components. */
export const currentTabs = () => tabs;

export function useTabs(): readonly Tab[] {
  return useSyncExternalStore(subscribe, currentTabs);
}

/** Records a visit. */
export const visit = (tab: Tab) => setTabs(visited(tabs, tab));

/** Sets the title of the tab at a path to the name of its object. */
export const nameTab = (path: string, title: string) => setTabs(renamed(tabs, path, title));

/** Drops tabs that the current role may not open: another user may have used this browser tab. */
export function keepTabs(allowed: (tab: Tab) => boolean): void {
  if (!tabs.every(allowed)) setTabs(tabs.filter(allowed));
}
