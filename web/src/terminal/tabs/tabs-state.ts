/** Something that happened in a tab nobody looks at. */
export type Unseen = 'none' | 'output' | 'bell';

export interface TabAsset {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
}

export interface Tab {
  readonly id: string;
  readonly asset: TabAsset;
  readonly title: string;
  readonly unseen: Unseen;
}

export interface TabsState {
  readonly tabs: readonly Tab[];
  readonly active: string | null;
  /** Ids, the last used one first: closing a tab goes back to where one came from. */
  readonly used: readonly string[];
}

export type TabsEvent =
  | { readonly type: 'open'; readonly id: string; readonly asset: TabAsset; readonly after?: string; readonly title?: string; readonly at?: number }
  | { readonly type: 'activate'; readonly id: string }
  | { readonly type: 'step'; readonly by: 1 | -1 }
  | { readonly type: 'number'; readonly number: number }
  | { readonly type: 'close'; readonly ids: readonly string[] }
  | { readonly type: 'rename'; readonly id: string; readonly title: string }
  | { readonly type: 'move'; readonly id: string; readonly to: number }
  | { readonly type: 'notice'; readonly id: string; readonly unseen: 'output' | 'bell' };

export const NO_TABS: TabsState = { tabs: [], active: null, used: [] };
export const TITLE_MAX = 64;

function freeTitle(hostname: string, tabs: readonly Tab[]): string {
  const taken = new Set(tabs.map(({ title }) => title));
  for (let number = 1; ; number += 1) {
    const title = number === 1 ? hostname : `${hostname} (${number})`;
    if (!taken.has(title)) return title;
  }
}

function changed(state: TabsState, id: string, part: Partial<Tab>): TabsState {
  return { ...state, tabs: state.tabs.map((tab) => (tab.id === id ? { ...tab, ...part } : tab)) };
}

function activate(state: TabsState, id: string): TabsState {
  if (!state.tabs.some((tab) => tab.id === id)) return state;
  const used = [id, ...state.used.filter((other) => other !== id)];
  return { ...changed(state, id, { unseen: 'none' }), active: id, used };
}

function open(state: TabsState, { id, asset, after, title, at: wanted }: Extract<TabsEvent, { type: 'open' }>): TabsState {
  const tab: Tab = { id, asset, title: title ?? freeTitle(asset.hostname, state.tabs), unseen: 'none' };
  const at = state.tabs.findIndex((other) => other.id === after);
  const place = wanted ?? (at < 0 ? state.tabs.length : at + 1);
  return activate({ ...state, tabs: state.tabs.toSpliced(place, 0, tab) }, id);
}

function close(state: TabsState, ids: readonly string[]): TabsState {
  const stays = (id: string) => !ids.includes(id);
  const used = state.used.filter(stays);
  const left = { ...state, tabs: state.tabs.filter(({ id }) => stays(id)), used };
  if (state.active === null || stays(state.active)) return left;
  const [next] = used;
  return next ? activate(left, next) : { ...left, active: null };
}

function move(state: TabsState, id: string, to: number): TabsState {
  const from = state.tabs.findIndex((tab) => tab.id === id);
  const tab = state.tabs[from];
  if (!tab) return state;
  return { ...state, tabs: state.tabs.toSpliced(from, 1).toSpliced(Math.max(0, to), 0, tab) };
}

function at(state: TabsState, index: number): TabsState {
  const tab = state.tabs.at(index);
  return tab ? activate(state, tab.id) : state;
}

/** The next state of the row of tabs. */
export function nextTabs(state: TabsState, event: TabsEvent): TabsState {
  switch (event.type) {
    case 'open':
      return open(state, event);
    case 'activate':
      return activate(state, event.id);
    case 'step': {
      const index = state.tabs.findIndex((tab) => tab.id === state.active);
      return index < 0 ? state : at(state, (index + event.by + state.tabs.length) % state.tabs.length);
    }
    case 'number':
      return event.number > state.tabs.length ? state : at(state, event.number - 1);
    case 'close':
      return close(state, event.ids);
    case 'rename': {
      const title = event.title.trim().slice(0, TITLE_MAX);
      return title ? changed(state, event.id, { title }) : state;
    }
    case 'move':
      return move(state, event.id, event.to);
    case 'notice': {
      const tab = state.tabs.find(({ id }) => id === event.id);
      // A bell is not forgotten because more text came, and the tab in front needs no mark.
      if (!tab || tab.id === state.active || tab.unseen === event.unseen || tab.unseen === 'bell') return state;
      return changed(state, event.id, { unseen: event.unseen });
    }
  }
}
