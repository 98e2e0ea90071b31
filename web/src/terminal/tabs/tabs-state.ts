import type { PodPlace } from '@sallyport/contract';

/** Event in a tab that is not visible. */
export type Unseen = 'none' | 'output' | 'bell';

export interface TabAsset {
  /** A remote app, or a pod of the cluster `id`, instead of an asset. */
  readonly kind?: 'remote_app' | 'pod';
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly pod?: PodPlace;
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
  /** Ids, most recently used first: closing a tab activates the one used before. */
  readonly used: readonly string[];
  /** Ids of the tabs shown side by side while one is in front: none, or 2 to {@link MOST_PANES}. */
  readonly split: readonly string[];
  /** Input into one tab of the split goes to all its tabs. */
  readonly together: boolean;
}

export type TabsEvent =
  | {
      readonly type: 'open';
      readonly id: string;
      readonly asset: TabAsset;
      readonly after?: string;
      readonly title?: string;
      readonly at?: number;
    }
  | { readonly type: 'activate'; readonly id: string }
  | { readonly type: 'step'; readonly by: 1 | -1 }
  | { readonly type: 'number'; readonly number: number }
  | { readonly type: 'close'; readonly ids: readonly string[] }
  | { readonly type: 'rename'; readonly id: string; readonly title: string }
  | { readonly type: 'move'; readonly id: string; readonly to: number }
  /** Shows a tab next to the one in front, or alone again. */
  | { readonly type: 'beside'; readonly id: string }
  | { readonly type: 'alone'; readonly id: string }
  /** Types into all shown tabs, or only into the one in front. */
  | { readonly type: 'together'; readonly on: boolean }
  | { readonly type: 'notice'; readonly id: string; readonly unseen: 'output' | 'bell' };

export const NO_TABS: TabsState = { tabs: [], active: null, used: [], split: [], together: false };
/** Maximum tabs of a split; more are too small to work in. */
export const MOST_PANES = 4;
export const TITLE_MAX = 64;

/** The tabs that are on the screen. */
export function shownTabs({
  active,
  split,
}: Pick<TabsState, 'active' | 'split'>): readonly string[] {
  if (active === null) return [];
  return split.includes(active) ? split : [active];
}

/** Returns true if a tab can be shown next to the one in front. */
export function canShowBeside(state: TabsState, id: string): boolean {
  const visible = shownTabs(state);
  return visible.length > 0 && visible.length < MOST_PANES && !visible.includes(id);
}

/** Ends a split of one tab, and simultaneous input without a split. */
function resplit(state: TabsState, split: readonly string[]): TabsState {
  return split.length < 2 ? { ...state, split: [], together: false } : { ...state, split };
}

function beside(state: TabsState, id: string): TabsState {
  if (!canShowBeside(state, id) || !state.tabs.some((tab) => tab.id === id)) return state;
  return activate(resplit(state, [...shownTabs(state), id]), id);
}

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
  const next = { ...changed(state, id, { unseen: 'none' }), active: id, used };
  // Only tabs of the split receive simultaneous input.
  return next.split.includes(id) ? next : { ...next, together: false };
}

function open(
  state: TabsState,
  { id, asset, after, title, at: wanted }: Extract<TabsEvent, { type: 'open' }>,
): TabsState {
  const tab: Tab = {
    id,
    asset,
    title: title ?? freeTitle(asset.hostname, state.tabs),
    unseen: 'none',
  };
  const at = state.tabs.findIndex((other) => other.id === after);
  const place = wanted ?? (at < 0 ? state.tabs.length : at + 1);
  return activate({ ...state, tabs: state.tabs.toSpliced(place, 0, tab) }, id);
}

function close(state: TabsState, ids: readonly string[]): TabsState {
  const stays = (id: string) => !ids.includes(id);
  const used = state.used.filter(stays);
  const left = {
    ...resplit(state, state.split.filter(stays)),
    tabs: state.tabs.filter(({ id }) => stays(id)),
    used,
  };
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
      return index < 0
        ? state
        : at(state, (index + event.by + state.tabs.length) % state.tabs.length);
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
    case 'beside':
      return beside(state, event.id);
    case 'alone':
      return resplit(
        state,
        state.split.filter((id) => id !== event.id),
      );
    case 'together':
      return { ...state, together: event.on && shownTabs(state).length > 1 };
    case 'notice': {
      const tab = state.tabs.find(({ id }) => id === event.id);
      // Output does not replace the mark of a bell. A visible tab needs no mark.
      if (
        !tab ||
        shownTabs(state).includes(tab.id) ||
        tab.unseen === event.unseen ||
        tab.unseen === 'bell'
      )
        return state;
      return changed(state, event.id, { unseen: event.unseen });
    }
  }
}
