import type { GrantedSystemUser } from '@sallyport/contract';
import { api } from '../../kit/api.ts';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import { attachClipboard, type ClipboardTools } from '../session/clipboard-behavior.ts';
import { confirmLink, confirmPaste } from '../session/confirm-paste.tsx';
import { typedInput } from '../session/typed-input.ts';
import { settingsStore } from '../settings/settings-store.ts';
import { type AccountWish, USUAL } from '../tabs/session-snapshot.ts';
import { SessionTab } from '../tabs/session-tab.ts';
import { appearanceOn, loadPerson, SESSION_TOOLS } from '../tabs/session-tools.ts';
import { storedTabs, storeTabs } from '../tabs/stored-tabs.ts';
import {
  MOST_PANES,
  NO_TABS,
  nextTabs,
  shownTabs,
  type TabAsset,
  type TabsEvent,
  type TabsState,
} from '../tabs/tabs-state.ts';
import type { Appearance } from '../view/terminal-view.ts';
import { words as windowWords } from '../words.ts';

const loadAccounts = (asset: string) =>
  api.get<readonly GrantedSystemUser[]>(
    `perms/users/assets/${encodeURIComponent(asset)}/system-users/`,
    { quiet: true },
  );

/** Clipboard tools of all terminals in the window. */
export const CLIPBOARD_TOOLS: ClipboardTools = {
  confirmPaste,
  confirmLink,
  copyFailed: () => toast.error(t(windowWords.copyFailed)),
  pasteBlocked: () => toast.info(t(windowWords.pasteBlocked)),
};

/** Time in which a closed tab can be restored with its session. */
const UNDO_MILLISECONDS = 6_000;

const CLOSED_KEPT = 10;

interface Closed {
  readonly id: string;
  readonly asset: TabAsset;
  readonly title: string;
  readonly account: string | null;
  readonly at: number;
}

/**
 * The open tabs of this window, their order and their sessions. React does not own this object.
 */
export class Workspace {
  readonly #sessions = new Map<string, SessionTab>();
  readonly #listeners = new Set<() => void>();
  #opened = 0;
  #claimed: string | null | undefined;
  #person: string | null = null;
  /** Recently closed tabs, whose sessions continue while the user can still restore them. */
  #parting: readonly Closed[] = [];
  #partingTimer: number | undefined;
  #closed: readonly Closed[] = [];
  #state: TabsState = NO_TABS;
  #pageScheme: 'light' | 'dark' = 'dark';

  constructor() {
    settingsStore.subscribe(() => this.#dress());
  }

  /** The row of tabs; the same object until something changes. */
  readonly snapshot = (): TabsState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Applies one event to the row of tabs. */
  dispatch(event: TabsEvent): void {
    const next = nextTabs(this.#state, event);
    if (next === this.#state) return;
    this.#state = next;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
    this.#store();
  }

  #store(): void {
    if (this.#person === null) return;
    const { tabs, active } = this.#state;
    const kept = tabs.map(({ id, asset, title }) => {
      const session = this.#sessions.get(id);
      return {
        asset,
        title,
        account: session?.account ?? null,
        session: session?.liveSession ?? null,
      };
    });
    const index = tabs.findIndex(({ id }) => id === active);
    const split = this.#state.split.map((shown) => tabs.findIndex(({ id }) => id === shown));
    storeTabs({ person: this.#person, tabs: kept, active: index, split });
  }

  /**
   * Restores the tabs after a reload, with the sessions that the server still keeps. Returns false
   * if no tabs were stored.
   */
  async restore(): Promise<boolean> {
    const { id: person } = await loadPerson();
    const stored = this.#person === null ? storedTabs(person) : null;
    this.#person = person;
    const ids = stored?.tabs.map(({ asset, title, account, session: live }) => {
      const { id, session } = this.#create(asset);
      this.dispatch({ type: 'open', id, asset, title });
      session.restore(account, live);
      return id;
    });
    const beside = (stored?.split ?? []).flatMap((index) => ids?.[index] ?? []);
    const [first, ...others] = beside;
    if (first) this.dispatch({ type: 'activate', id: first });
    for (const id of others) this.dispatch({ type: 'beside', id });
    const front = ids?.[stored?.active ?? 0];
    if (front) this.dispatch({ type: 'activate', id: front });
    return stored !== null;
  }

  #create(asset: TabAsset): { readonly id: string; readonly session: SessionTab } {
    this.#opened += 1;
    const id = `terminal-${this.#opened}`;
    const label = t(windowWords.terminalOf, { name: asset.hostname });
    const session = new SessionTab(asset, {
      ...SESSION_TOOLS,
      loadAccounts,
      appearance: this.#appearance,
      label,
    });
    attachClipboard(session, CLIPBOARD_TOOLS);
    session.view.on('input', (data) => this.#typeTogether(id, data));
    session.on('activity', (unseen) => this.dispatch({ type: 'notice', id, unseen }));
    session.on('change', () => this.#store());
    this.#sessions.set(id, session);
    return { id, session };
  }

  /** Passes input of the tab in front to the other visible tabs. */
  #typeTogether(id: string, data: string): void {
    const { together, active } = this.#state;
    const typed = together && id === active ? typedInput(data) : null;
    if (!typed) return;
    for (const other of shownTabs(this.#state))
      if (other !== id) this.#sessions.get(other)?.typeAlong(typed);
  }

  /** The session of a tab. */
  session(id: string): SessionTab | undefined {
    return this.#sessions.get(id);
  }

  get active(): SessionTab | undefined {
    return this.#state.active === null ? undefined : this.#sessions.get(this.#state.active);
  }

  /** Returns the number of sessions that closing these tabs ends; default: all tabs. */
  liveCount(ids: readonly string[] = this.#state.tabs.map(({ id }) => id)): number {
    return ids.filter((id) => this.#sessions.get(id)?.isLive).length;
  }

  readonly #appearance = (): Appearance => appearanceOn(this.#pageScheme);

  #dress(): void {
    const appearance = this.#appearance();
    for (const session of this.#sessions.values()) session.view.setAppearance(appearance);
  }

  /** Applies the color scheme of the page. */
  setPageScheme(scheme: 'light' | 'dark'): void {
    if (scheme === this.#pageScheme) return;
    this.#pageScheme = scheme;
    this.#dress();
  }

  /** Returns true once for the asset that the address opens. */
  claim(asset: string | null): boolean {
    if (this.#claimed === asset) return false;
    this.#claimed = asset;
    return true;
  }

  /** Opens a terminal to an asset with an account, next to a tab if one is given. */
  open(
    asset: TabAsset,
    { after, wish = USUAL }: { readonly after?: string; readonly wish?: AccountWish } = {},
  ): void {
    const { id, session } = this.#create(asset);
    this.dispatch({ type: 'open', id, asset, ...(after !== undefined && { after }) });
    void session.start(wish);
  }

  /** Opens another terminal to the asset of a tab, with the same account or by choice. */
  duplicate(id: string, as?: 'choose'): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    const { choice } = session.snapshot();
    const same: AccountWish =
      choice.kind === 'chosen' ? { kind: 'one', id: choice.account.id } : USUAL;
    this.open(session.asset, { after: id, wish: as === 'choose' ? { kind: 'choose' } : same });
  }

  /** Opens another terminal to the asset of the tab in front, and shows both side by side. */
  split(): void {
    const before = this.#state.active;
    if (before === null) return;
    if (shownTabs(this.#state).length >= MOST_PANES) return;
    this.duplicate(before);
    const opened = this.#state.active;
    if (opened === null || opened === before) return;
    this.dispatch({ type: 'activate', id: before });
    this.dispatch({ type: 'beside', id: opened });
  }

  /**
   * Focuses the question over the terminal of the tab in front, or the terminal. Returns false
   * without a tab.
   */
  focusActive(): boolean {
    const { active } = this;
    if (!active) return false;
    const question = document.querySelector<HTMLElement>(
      `#pane-${this.#state.active} [data-over-screen] :is([data-autofocus], input)`,
    );
    if (question) question.focus();
    else active.view.focus();
    return true;
  }

  /** Closes tabs. Their sessions end a moment later, unless the user restores the tabs. */
  close(ids: readonly string[]): void {
    this.#endParting();
    const closed = this.#state.tabs.flatMap(({ id, asset, title }, at) =>
      ids.includes(id)
        ? [{ id, asset, title, account: this.#sessions.get(id)?.account ?? null, at }]
        : [],
    );
    this.#parting = closed;
    this.#closed = [...closed.toReversed(), ...this.#closed].slice(0, CLOSED_KEPT);
    this.#partingTimer = window.setTimeout(() => {
      this.#endParting();
      this.#tell();
    }, UNDO_MILLISECONDS);
    this.dispatch({ type: 'close', ids });
    this.focusActive();
  }

  /** Returns the number of closed tabs that can be restored. */
  readonly parting = (): number => this.#parting.length;

  #endParting(): void {
    window.clearTimeout(this.#partingTimer);
    for (const { id } of this.#parting) {
      this.#sessions.get(id)?.end();
      this.#sessions.delete(id);
    }
    this.#parting = [];
  }

  /** Restores the tabs closed last, with their sessions if these still run, else with new ones. */
  reopen(): void {
    const parting = this.#parting;
    if (parting.length > 0) {
      window.clearTimeout(this.#partingTimer);
      this.#parting = [];
      this.#closed = this.#closed.filter((tab) => !parting.includes(tab));
      for (const { id, asset, title, at } of parting)
        this.dispatch({ type: 'open', id, asset, title, at });
    } else {
      const [last, ...others] = this.#closed;
      if (!last) return;
      this.#closed = others;
      this.open(last.asset, {
        wish: last.account === null ? USUAL : { kind: 'one', id: last.account },
      });
    }
    requestAnimationFrame(() => this.focusActive());
  }
}
