import { useSyncExternalStore } from 'react';
import { readSettings, type TerminalSettings } from './settings.ts';

const STORAGE_KEY = 'sallyport-terminal';
const listeners = new Set<() => void>();

function load(): TerminalSettings {
  try {
    return readSettings(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null'));
  } catch {
    return readSettings(null);
  }
}

let current = load();

// Another window changed the settings.
window.addEventListener('storage', ({ key }) => {
  if (key !== STORAGE_KEY) return;
  current = load();
  for (const listener of listeners) listener();
});

/** The settings of this browser's terminals. */
export const settingsStore = {
  get: (): TerminalSettings => current,
  /** Changes and stores some settings, and notifies every terminal. */
  change(part: Partial<TerminalSettings>): void {
    current = readSettings({ ...current, ...part });
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
    } catch {
      // Without storage the settings last until the page is closed.
    }
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** The settings, for components. */
export function useSettings(): TerminalSettings {
  return useSyncExternalStore(settingsStore.subscribe, settingsStore.get);
}
