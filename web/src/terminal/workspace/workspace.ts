import type { GrantedSystemUser } from '@sallyport/contract';
import { api } from '../../kit/api.ts';
import { t } from '../../kit/i18n/index.ts';
import { toast } from '../../kit/toast.tsx';
import { attachClipboard, type ClipboardTools } from '../session/clipboard-behavior.ts';
import { confirmLink } from '../session/confirm-link.tsx';
import { confirmPaste } from '../session/confirm-paste.tsx';
import { words } from '../session/words.ts';
import { settingsStore } from '../settings/settings-store.ts';
import { SessionTab } from '../tabs/session-tab.ts';
import { NO_TABS, nextTabs, type TabAsset, type TabsEvent, type TabsState } from '../tabs/tabs-state.ts';
import { timeText } from '../time.ts';
import type { Appearance } from '../view/terminal-view.ts';
import { words as windowWords } from '../words.ts';
import { rememberRecent } from './recent.ts';

const loadAccounts = (asset: string) => api.get<readonly GrantedSystemUser[]>(`perms/users/assets/${encodeURIComponent(asset)}/system-users/`, { quiet: true });
const separator = () => t(words.reconnectedAt, { time: timeText(new Date()) });

/** How every terminal of the window copies and pastes. */
export const CLIPBOARD_TOOLS: ClipboardTools = {
  confirmPaste,
  confirmLink,
  copyFailed: () => toast.error(t(windowWords.copyFailed)),
  pasteBlocked: () => toast.info(t(windowWords.pasteBlocked)),
};

/** The open terminals of this window: which there are, in what order, and the sessions behind them. It outlives every drawing. */
export class Workspace {
  readonly #sessions = new Map<string, SessionTab>();
  readonly #listeners = new Set<() => void>();
  #opened = 0;
  #claimed: string | null = null;
  #state: TabsState = NO_TABS;
  #pageScheme: 'light' | 'dark' = 'dark';

  constructor() {
    settingsStore.subscribe(() => this.#dress());
  }

  /** The row of tabs; the same object until something changes. */
  readonly snapshot = (): TabsState => this.#state;

  /** Tells of every change of the row of tabs. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Applies one event to the row of tabs. */
  dispatch(event: TabsEvent): void {
    const next = nextTabs(this.#state, event);
    if (next === this.#state) return;
    this.#state = next;
    for (const listener of this.#listeners) listener();
  }

  /** The session behind a tab. */
  session(id: string): SessionTab | undefined {
    return this.#sessions.get(id);
  }

  get active(): SessionTab | undefined {
    return this.#state.active === null ? undefined : this.#sessions.get(this.#state.active);
  }

  /** How many sessions would be cut if these tabs closed; of all tabs when none are named. */
  liveCount(ids: readonly string[] = this.#state.tabs.map(({ id }) => id)): number {
    return ids.filter((id) => this.#sessions.get(id)?.isLive).length;
  }

  readonly #appearance = (): Appearance => {
    const { scheme, fontSize, scrollback, cursorBlink, screenReader } = settingsStore.get();
    return { fontSize, scrollback, cursorBlink, screenReader, scheme: scheme === 'auto' ? this.#pageScheme : scheme };
  };

  #dress(): void {
    const appearance = this.#appearance();
    for (const session of this.#sessions.values()) session.view.setAppearance(appearance);
  }

  /** Follows the colours of the page. */
  setPageScheme(scheme: 'light' | 'dark'): void {
    if (scheme === this.#pageScheme) return;
    this.#pageScheme = scheme;
    this.#dress();
  }

  /** Whether the address's wish for this asset is still to be granted; it is granted once. */
  claim(asset: string): boolean {
    if (this.#claimed === asset) return false;
    this.#claimed = asset;
    return true;
  }

  /** Opens a terminal to an asset, beside a tab when one is named. */
  open(asset: TabAsset, after?: string): void {
    this.#opened += 1;
    const id = `terminal-${this.#opened}`;
    const label = t(windowWords.terminalOf, { name: asset.hostname });
    const session = new SessionTab(asset, { loadAccounts, separator, appearance: this.#appearance, label });
    attachClipboard(session, CLIPBOARD_TOOLS);
    session.on('activity', (unseen) => this.dispatch({ type: 'notice', id, unseen }));
    this.#sessions.set(id, session);
    this.dispatch({ type: 'open', id, asset, ...(after !== undefined && { after }) });
    rememberRecent(asset);
    void session.start();
  }

  /** Opens another terminal to the asset of a tab, beside it. */
  duplicate(id: string): void {
    const session = this.#sessions.get(id);
    if (session) this.open(session.asset, id);
  }

  /** Closes tabs and hangs up their sessions. */
  close(ids: readonly string[]): void {
    this.dispatch({ type: 'close', ids });
    for (const id of ids) {
      this.#sessions.get(id)?.end();
      this.#sessions.delete(id);
    }
    this.active?.view.focus();
  }
}
