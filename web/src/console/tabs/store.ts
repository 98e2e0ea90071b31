import { useSyncExternalStore } from 'react';
import { renamed, type Tab, visited } from './tab-list.ts';

const KEY = 'sallyport-tabs';
const listeners = new Set<() => void>();

function isTab(value: unknown): value is Tab {
  if (typeof value !== 'object' || value === null) return false;
  const { path, address, title, affix } = value as Record<string, unknown>;
  return typeof path === 'string' && typeof address === 'string' && typeof title === 'string' && typeof affix === 'boolean';
}

function restore(): readonly Tab[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isTab) : [];
  } catch {
    return [];
  }
}

let tabs: readonly Tab[] = restore();

/** Replaces the visited tabs; they live as long as the browser's tab. */
export function setTabs(next: readonly Tab[]): void {
  if (next === tabs) return;
  tabs = next;
  sessionStorage.setItem(KEY, JSON.stringify(tabs));
  for (const listener of listeners) listener();
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
