import { type GrantedSystemUser, protocolOf } from '@sallyport/contract';
import { type ConnectionState, IDLE, isLive } from '../connection/connection-state.ts';
import { Emitter } from '../connection/emitter.ts';
import { TerminalConnection } from '../connection/terminal-connection.ts';
import { type Appearance, TerminalView } from '../view/terminal-view.ts';
import { offeredAccounts } from './accounts.ts';
import type { TabAsset } from './tabs-state.ts';

/** Which account the tab connects with, or how far that question is. */
export type AccountChoice =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly detail: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'asking'; readonly accounts: readonly GrantedSystemUser[] }
  | { readonly kind: 'chosen'; readonly account: GrantedSystemUser; readonly several: boolean };

export interface SessionSnapshot {
  readonly choice: AccountChoice;
  readonly connection: ConnectionState;
  /** How often a shell was opened here; above one there is older text on the screen. */
  readonly opened: number;
}

export interface SessionEvents {
  readonly change: SessionSnapshot;
  readonly activity: 'output' | 'bell';
}

export interface SessionTools {
  readonly loadAccounts: (asset: string) => Promise<readonly GrantedSystemUser[]>;
  readonly separator: () => string;
  readonly appearance: () => Appearance;
  readonly label: string;
}

/** What one tab is: an asset, the account, the connection and its screen. React only draws it. */
export class SessionTab extends Emitter<SessionEvents> {
  readonly asset: TabAsset;
  readonly view: TerminalView;
  readonly #tools: SessionTools;
  readonly #connection = new TerminalConnection();
  #snapshot: SessionSnapshot = { choice: { kind: 'loading' }, connection: IDLE, opened: 0 };
  #ended = false;
  #controlReleased: (() => void) | null = null;

  constructor(asset: TabAsset, tools: SessionTools) {
    super();
    this.asset = asset;
    this.#tools = tools;
    this.view = new TerminalView(tools.appearance(), tools.label);
    this.view.on('input', (text) => this.#type(text));
    this.view.on('binary', (text) => this.#connection.typeBinary(text));
    this.view.on('size', (size) => this.#connection.resize(size));
    this.view.on('bell', () => this.emit('activity', 'bell'));
    this.#connection.on('output', (output) => {
      this.view.show(output);
      this.emit('activity', 'output');
    });
    this.#connection.on('state', (connection) => this.#hear(connection));
  }

  /** What there is to draw; the same object until something changes. */
  readonly snapshot = (): SessionSnapshot => this.#snapshot;

  /** Tells of every change of the snapshot. */
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
    const opens = connection.phase === 'open' && this.#snapshot.connection.phase !== 'open';
    if (opens && this.#snapshot.opened > 0) this.view.beginAnew(this.#tools.separator());
    this.#change({ connection, opened: this.#snapshot.opened + (opens ? 1 : 0) });
    if (opens) this.view.focus();
  }

  #type(text: string): void {
    const { connection } = this.#snapshot;
    // Who sits before an ended session and presses Enter wants it back.
    if (connection.phase === 'closed' && connection.retry && text === '\r') {
      this.reconnect();
      return;
    }
    this.#connection.type(this.#withControl(text));
  }

  #withControl(text: string): string {
    if (!this.#controlReleased || !/^[@-_a-z ]$/i.test(text)) return text;
    this.#controlReleased();
    this.#controlReleased = null;
    return String.fromCharCode(text.toUpperCase().charCodeAt(0) & 0x1f);
  }

  /** Holds the Ctrl key down for the next letter; `released` is called when it was used. */
  holdControl(held: boolean, released: () => void): void {
    this.#controlReleased = held ? released : null;
  }

  /** Asks which accounts there are, then connects, or lets the person choose first. */
  async start(): Promise<void> {
    this.#change({ choice: { kind: 'loading' } });
    try {
      const accounts = offeredAccounts(await this.#tools.loadAccounts(this.asset.id));
      const [first] = accounts;
      if (this.#ended) return;
      if (!first) this.#change({ choice: { kind: 'none' } });
      else if (accounts.length === 1) this.connect(first, false);
      else this.#change({ choice: { kind: 'asking', accounts } });
    } catch (error) {
      this.#change({ choice: { kind: 'failed', detail: error instanceof Error ? error.message : '' } });
    }
  }

  /** Connects with an account. */
  connect(account: GrantedSystemUser, several = true): void {
    this.#change({ choice: { kind: 'chosen', account, several } });
    this.#connection.dial({ asset: this.asset.id, systemUser: account.id, protocol: protocolOf(account.protocol)?.name }, this.view.size);
  }

  /** Connects again with the account that was chosen, below what is on the screen. */
  reconnect(): void {
    const { choice } = this.#snapshot;
    if (choice.kind === 'chosen') this.connect(choice.account, choice.several);
    else void this.start();
  }

  /** Hands over the credentials that the server asked for. */
  answer(username: string, password: string): void {
    this.#connection.answer(username, password);
  }

  /** Hangs up and takes the screen away for good. */
  end(): void {
    this.#ended = true;
    this.#connection.hangUp();
    this.view.dispose();
  }
}
