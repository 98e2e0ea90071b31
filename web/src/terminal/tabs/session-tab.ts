import type { GrantedSystemUser } from '@sallyport/contract';
import { retryConnection } from '../../kit/connection/connection.ts';
import type { SessionNotice } from '../connection/connection-events.ts';
import { type ConnectionState, IDLE, isLive } from '../connection/connection-state.ts';
import { Emitter } from '../connection/emitter.ts';
import { type Destination, TerminalConnection } from '../connection/terminal-connection.ts';
import { TerminalView } from '../view/terminal-view.ts';
import { opensDesktop, usableAccounts } from './accounts.ts';
import {
  type AccountWish,
  CONNECTING,
  chooseAccount,
  destinationOf,
  NOTHING_SHOWN,
  REFUSED,
  type SessionEvents,
  type SessionSnapshot,
  type SessionTools,
  USUAL,
} from './session-snapshot.ts';
import type { TabAsset } from './tabs-state.ts';
import { transferFiles } from './transfer-files.ts';

/** Time for which a notice without a question is visible. */
const NOTICE_MS = 10_000;

/** One tab: an asset, the account, the connection and its screen. React only draws it. */
export class SessionTab extends Emitter<SessionEvents> {
  readonly asset: TabAsset;
  readonly view: TerminalView;
  readonly #tools: SessionTools;
  readonly #connection = new TerminalConnection();
  #snapshot: SessionSnapshot = {
    choice: { kind: 'loading' },
    connection: IDLE,
    opened: 0,
    ...NOTHING_SHOWN,
    desktop: null,
  };
  #ended = false;
  /** The account that the user chose for this attempt; null for the usual account. */
  #picked: string | null = null;
  #controlReleased: (() => void) | null = null;

  constructor(asset: TabAsset, tools: SessionTools) {
    super();
    this.asset = asset;
    this.#tools = tools;
    this.view = new TerminalView(tools.appearance(), tools.label);
    this.view.on('input', (text) => this.#type(text));
    this.view.on('binary', (text) => this.#connection.typeBinary(text));
    this.view.on('size', (size) => this.#connection.resize(size));
    this.view.on('break', () => this.sendBreak());
    this.view.on('bell', () => this.emit('activity', 'bell'));
    this.#connection.on('output', (output) => {
      this.view.show(output);
      this.emit('activity', 'output');
    });
    this.#connection.on('transfer', (line) => void transferFiles(line, asset.hostname));
    this.#connection.on('guests', (guests) => this.#change({ guests }));
    this.#connection.on('notice', (notice) => this.#tell(notice));
    this.#connection.on('locked', (locked) => this.#change({ locked }));
    this.#connection.on(
      'state',
      (connection) => this.#line === this.#connection && this.#hear(connection),
    );
  }

  /** The state of the connection: that of the desktop, or of the terminal. */
  get #line(): TerminalConnection {
    return this.#snapshot.desktop?.connection ?? this.#connection;
  }

  /** Returns the state; the same object until it changes. */
  readonly snapshot = (): SessionSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => this.on('change', listener);

  get isLive(): boolean {
    return isLive(this.#snapshot.connection);
  }

  #change(part: Partial<SessionSnapshot>): void {
    if (this.#ended) return;
    this.#snapshot = { ...this.#snapshot, ...part };
    this.emit('change', this.#snapshot);
  }

  #hear(connection: ConnectionState): void {
    const { connection: before, opened, choice } = this.#snapshot;
    const opens = connection.phase === 'open' && before.phase !== 'open';
    const isNew = opens && (before.phase !== 'away' || opened === 0);
    if (isNew && opened > 0) this.view.beginSession(this.#tools.separator());
    const isLost =
      connection.phase === 'away' ||
      (connection.phase === 'closed' &&
        (connection.code === 'line_lost' || connection.code === 'line_refused'));
    if (isLost) void retryConnection();
    this.#change({ connection, opened: opened + (isNew ? 1 : 0) });
    // The server repeats guests, notice and lock when the session continues.
    if (connection.phase !== 'open' || before.phase !== 'open') this.#change(NOTHING_SHOWN);
    if (!opens) return;
    if (choice.kind === 'restored') void this.#findAccount(choice.account);
    // Remember the account only if the connection opens.
    if (this.#picked !== null) this.#tools.remember(this.asset.id, this.#picked);
    if (!this.#snapshot.desktop) this.view.focus();
  }

  /** Shows a notice; a notice of recovery disappears after a while. */
  #tell(notice: SessionNotice): void {
    this.#change({ notice });
    if (!notice.over) return;
    setTimeout(() => {
      if (this.#snapshot.notice === notice) this.#change({ notice: null });
    }, NOTICE_MS);
  }

  /** Names the account of a session that another page opened. */
  async #findAccount(id: string | null): Promise<void> {
    const usable = usableAccounts(await this.#tools.loadAccounts(this.asset.id).catch(() => []));
    const account = usable.find((one) => one.id === id);
    if (account && this.#snapshot.choice.kind === 'restored')
      this.#change({ choice: { kind: 'chosen', account, several: usable.length > 1 } });
  }

  #type(text: string): void {
    const { connection } = this.#snapshot;
    // Enter reconnects an ended session, but not in the middle of a line when another person ended
    // it.
    if (
      connection.phase === 'closed' &&
      connection.retry &&
      connection.code !== 'session_terminated' &&
      text === '\r'
    ) {
      this.reconnect();
      return;
    }
    this.#connection.type(this.#withControl(text));
  }

  /** Sends a break; nothing happens where the protocol has none. */
  sendBreak(): void {
    this.#connection.sendBreak();
  }

  /** Repeats input of another terminal, if this session is open. */
  typeAlong(typed: { readonly kind: 'keys' | 'paste'; readonly text: string }): void {
    if (typed.kind === 'paste') this.view.paste(typed.text);
    else this.#connection.type(typed.text);
  }

  #withControl(text: string): string {
    if (!this.#controlReleased || !/^[@-_a-z ]$/i.test(text)) return text;
    this.#controlReleased();
    this.#controlReleased = null;
    return String.fromCharCode(text.toUpperCase().charCodeAt(0) & 0x1f);
  }

  /** Holds Ctrl for the next letter; calls `released` after that letter. */
  holdControl(held: boolean, released: () => void): void {
    this.#controlReleased = held ? released : null;
  }

  /** Id of the account of this tab, also of a tab restored after a reload. */
  get account(): string | null {
    const { choice } = this.#snapshot;
    return choice.kind === 'chosen'
      ? choice.account.id
      : choice.kind === 'restored'
        ? choice.account
        : null;
  }

  /** Id of the open session, or of the session that the page tries to resume. */
  get liveSession(): string | null {
    const { connection, desktop } = this.#snapshot;
    // A desktop cannot resume, and takes no guests.
    if (desktop) return null;
    return connection.phase === 'open' || connection.phase === 'away' ? connection.session : null;
  }

  /** Restores a tab after a reload, and resumes its session if it had one. */
  restore(account: string | null, session: string | null): void {
    this.#change({ choice: { kind: 'restored', account } });
    if (session !== null) this.#connection.resume(session, this.view.size);
  }

  /** Resumes the session without waiting for the next attempt. */
  returnNow(): void {
    this.#connection.returnNow();
  }

  /** Loads the accounts, then connects or lets the user choose first. */
  async start(wish: AccountWish = USUAL): Promise<void> {
    this.#change({ choice: { kind: 'loading' } });
    try {
      const [granted, remembered] = await Promise.all([
        this.#tools.loadAccounts(this.asset.id),
        this.#tools.remembered(this.asset.id),
      ]);
      if (this.#ended) return;
      const choice = chooseAccount(granted, wish, remembered);
      if (choice.kind === 'chosen') this.connect(choice.account, choice.several);
      else this.#change({ choice });
    } catch (error) {
      this.#change({
        choice: { kind: 'failed', detail: error instanceof Error ? error.message : '' },
      });
    }
  }

  /** Connects with the account that the user chose, and remembers it. */
  choose(account: GrantedSystemUser): void {
    this.connect(account);
    this.#picked = account.id;
  }

  /** Connects with an account. */
  connect(account: GrantedSystemUser, several = true): void {
    this.#picked = null;
    this.#line.hangUp();
    this.#snapshot.desktop?.end();
    const choice = { kind: 'chosen', account, several } as const;
    const destination = destinationOf(this.asset, account);
    if (opensDesktop(account)) {
      this.#change({ choice, desktop: null, connection: CONNECTING });
      void this.#dialDesktop(destination);
      return;
    }
    this.#change({ choice, desktop: null });
    this.#connection.dial(destination, this.view.size);
  }

  async #dialDesktop(destination: Destination): Promise<void> {
    try {
      const { DesktopTab } = await import('../desktop/desktop-tab.ts');
      const { choice } = this.#snapshot;
      // The user may have closed the tab or chosen another account since.
      if (this.#ended || choice.kind !== 'chosen' || choice.account.id !== destination.systemUser)
        return;
      const desktop = new DesktopTab(this.#tools.label);
      desktop.connection.on(
        'state',
        (state) => this.#snapshot.desktop === desktop && this.#hear(state),
      );
      desktop.connection.on(
        'notice',
        (notice) => this.#snapshot.desktop === desktop && this.#tell(notice),
      );
      this.#change({ desktop });
      desktop.dial(destination);
    } catch {
      this.#change({ connection: REFUSED });
    }
  }

  /**
   * Connects again with the chosen account, below the present output. A session that continued in
   * another window returns to this one.
   */
  reconnect(): void {
    const { choice, connection } = this.#snapshot;
    if (
      connection.phase === 'closed' &&
      connection.code === 'session_moved' &&
      connection.session !== null
    ) {
      this.#connection.resume(connection.session, this.view.size);
      return;
    }
    if (choice.kind === 'chosen') this.connect(choice.account, choice.several);
    else
      void this.start(
        choice.kind === 'restored' && choice.account !== null
          ? { kind: 'one', id: choice.account }
          : USUAL,
      );
  }

  /** Cancels the attempt to connect. Closing the socket ends the attempt on the server. */
  cancel(): void {
    this.#line.cancel();
  }

  /** Sends the credentials that the server requested. */
  answer(username: string, password: string): void {
    this.#line.answer(username, password);
  }

  /** Ends the connection and removes the screen. */
  end(): void {
    this.#ended = true;
    this.#connection.hangUp();
    this.#snapshot.desktop?.end();
    this.view.dispose();
  }
}
