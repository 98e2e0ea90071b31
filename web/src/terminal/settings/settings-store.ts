import { useSyncExternalStore } from 'react';
import { api } from '../../kit/api.ts';
import { readSettings, type TerminalSettings } from './settings.ts';

const STORAGE_KEY = 'sallyport-terminal';
const PATH = 'users/preferences/';
/** Changes within this time are sent to the server together. */
const SAVE_MILLISECONDS = 500;
const listeners = new Set<() => void>();

function load(): TerminalSettings {
  try {
    return readSettings(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null'));
  } catch {
    return readSettings(null);
  }
}

let current = load();
/** Changed settings that the server does not have yet. */
let unsaved: Partial<TerminalSettings> = {};
let timer: ReturnType<typeof setTimeout> | undefined;

function notify(): void {
  for (const listener of listeners) listener();
}

// Another window changed the settings.
window.addEventListener('storage', ({ key }) => {
  if (key !== STORAGE_KEY) return;
  current = load();
  notify();
});

function keep(settings: TerminalSettings): void {
  current = settings;
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(current));
  } catch {
    // Without storage the settings last until the page is closed.
  }
  notify();
}

function saveLater({ panelWidth, panelOpen, ...part }: Partial<TerminalSettings>): void {
  // The side panel belongs to the browser.
  unsaved = { ...unsaved, ...part };
  clearTimeout(timer);
  if (Object.keys(unsaved).length > 0) timer = setTimeout(() => void save(), SAVE_MILLISECONDS);
}

async function save(): Promise<void> {
  const sent = unsaved;
  unsaved = {};
  try {
    await api.patch(PATH, { terminal: sent }, { quiet: true });
  } catch {
    // Sent again with the next change.
    unsaved = { ...sent, ...unsaved };
  }
}

/**
 * Takes over the settings that the user chose in another browser. The server gets those of this
 * browser if it has none. Without an answer, those of this browser hold.
 */
export async function loadSavedSettings(): Promise<void> {
  try {
    const { terminal } = await api.get<{ readonly terminal?: object }>(PATH, { quiet: true });
    if (terminal) keep(readSettings({ ...current, ...terminal, ...unsaved }));
    else if (localStorage.getItem(STORAGE_KEY) !== null) saveLater(current);
  } catch {
    // The next window asks again.
  }
}

/** The settings of the user's terminals; this browser keeps a copy. */
export const settingsStore = {
  get: (): TerminalSettings => current,
  /** Changes and stores some settings, and notifies every terminal. */
  change(part: Partial<TerminalSettings>): void {
    keep(readSettings({ ...current, ...part }));
    saveLater(part);
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
