import {
  type ApprovalProgress,
  type ConnectStage,
  type FilesOpened,
  INSTANT_ACCESS_END,
} from '@sallyport/contract';
import { ApiError } from '../../kit/api.ts';
import { type FileItem, itemOf, parentOf, pathIn } from './entries.ts';
import { connect, type FilesPlace, type Given, readFolder } from './files-api.ts';

/** State of the connection. */
export type FilesPhase =
  | {
      readonly kind: 'connecting';
      readonly stage: ConnectStage;
      readonly progress?: ApprovalProgress | undefined;
      readonly host: string | null;
      readonly gateway: boolean;
    }
  | { readonly kind: 'reason' }
  | { readonly kind: 'asking'; readonly username: string; readonly reason: 'manual' | 'rejected' }
  | {
      readonly kind: 'closed';
      readonly code: string;
      readonly message: string;
      readonly retry: boolean;
    }
  | { readonly kind: 'open'; readonly opened: FilesOpened };

/** State of one place, for drawing. */
export interface FilesSnapshot {
  readonly phase: FilesPhase;
  readonly path: string;
  readonly items: readonly FileItem[];
  readonly isLoading: boolean;
  /** Reason for which the folder could not be read. */
  readonly error: string | null;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
}

const CONNECTING: FilesPhase = {
  kind: 'connecting',
  stage: 'checking',
  host: null,
  gateway: false,
};
/** Errors that end the connection: the manager reconnects, or asks the user. */
const LOST: ReadonlySet<string> = new Set([
  'files_not_connected',
  'connect_target_lost',
  'connect_target_broke',
  'connect_target_flooded',
  'connect_target_silent',
  'connect_denied',
  'connect_expired',
  INSTANT_ACCESS_END.code,
  'connect_condition',
  'session_signed_out',
  'session_terminated',
]);

/** The files of one asset as one account: the connection, and the folder that is shown. */
export class FileManager {
  readonly place: FilesPlace;
  #snapshot: FilesSnapshot = {
    phase: CONNECTING,
    path: '/',
    items: [],
    isLoading: false,
    error: null,
    canGoBack: false,
    canGoForward: false,
  };
  readonly #listeners = new Set<() => void>();
  #connecting: AbortController | null = null;
  #reading: AbortController | null = null;
  #due: ReturnType<typeof setTimeout> | undefined;
  #back: string[] = [];
  #forward: string[] = [];

  constructor(place: FilesPlace) {
    this.place = place;
  }

  readonly snapshot = (): FilesSnapshot => this.#snapshot;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Connects, and opens the folder that was open. */
  async start(given?: Given): Promise<void> {
    this.#connecting?.abort();
    const controller = new AbortController();
    this.#connecting = controller;
    this.#change({ phase: CONNECTING });
    try {
      await connect(
        this.place,
        given,
        (line) => {
          if (controller.signal.aborted) return;
          const { phase } = this.#snapshot;
          if ('stage' in line) {
            const gateway =
              line.stage === 'gateway' || (phase.kind === 'connecting' && phase.gateway);
            this.#change({
              phase: {
                kind: 'connecting',
                stage: line.stage,
                host: line.host ?? null,
                gateway,
                progress: line.progress,
              },
            });
          } else if ('open' in line) this.#change({ phase: { kind: 'open', opened: line.open } });
          else if ('need_credentials' in line)
            this.#change({ phase: { kind: 'asking', ...line.need_credentials } });
          else if ('need_reason' in line) this.#change({ phase: { kind: 'reason' } });
          else this.#change({ phase: { kind: 'closed', ...line.problem } });
        },
        controller.signal,
      );
      if (this.#snapshot.phase.kind === 'open') await this.refresh();
      else if (this.#snapshot.phase.kind === 'connecting') throw new ApiError(0, 'unreachable', '');
    } catch (error) {
      if (!controller.signal.aborted) this.#close(error);
    }
  }

  /** Cancels running requests. */
  stop(): void {
    this.#connecting?.abort();
    this.#reading?.abort();
  }

  /** Cancels the connection attempt. */
  cancel(): void {
    this.stop();
    this.#change({ phase: { kind: 'closed', code: 'cancelled', message: '', retry: true } });
  }

  /** Opens a folder. */
  async go(path: string): Promise<void> {
    if (path === this.#snapshot.path) return this.refresh();
    this.#back.push(this.#snapshot.path);
    this.#forward = [];
    await this.#show(path);
  }

  async back(): Promise<void> {
    const path = this.#back.pop();
    if (path === undefined) return;
    this.#forward.push(this.#snapshot.path);
    await this.#show(path);
  }

  async forward(): Promise<void> {
    const path = this.#forward.pop();
    if (path === undefined) return;
    this.#back.push(this.#snapshot.path);
    await this.#show(path);
  }

  async up(): Promise<void> {
    const { path } = this.#snapshot;
    if (path !== '/') await this.go(parentOf(path));
  }

  /** Reads the folder again. The old list stays until the answer is complete. */
  refresh(): Promise<void> {
    return this.#read(this.#snapshot.path, true);
  }

  /**
   * Handles a finished upload: reads the shown folder again if the file is in or below it. Several
   * uploads cause one request.
   */
  uploaded(path: string): void {
    const { path: shown } = this.#snapshot;
    if (parentOf(path) !== shown && !path.startsWith(pathIn(shown, ''))) return;
    this.#due ??= setTimeout(() => {
      this.#due = undefined;
      if (this.#snapshot.phase.kind === 'open') void this.refresh();
    }, 400);
  }

  /** Shows the connection as closed if the error is its end. Returns true if so. */
  heard(error: unknown): boolean {
    if (!(error instanceof ApiError) || !LOST.has(error.code)) return false;
    this.#close(error);
    return true;
  }

  #show(path: string): Promise<void> {
    this.#change({
      path,
      items: [],
      error: null,
      canGoBack: this.#back.length > 0,
      canGoForward: this.#forward.length > 0,
    });
    return this.#read(path, false);
  }

  async #read(path: string, isAgain: boolean): Promise<void> {
    this.#reading?.abort();
    const controller = new AbortController();
    this.#reading = controller;
    this.#change({ isLoading: true, error: null });
    let items: FileItem[] = [];
    let shownAt = performance.now();
    let problem: string | null = null;
    try {
      await readFolder(
        this.place,
        path,
        (line) => {
          if (controller.signal.aborted) return;
          if ('problem' in line) problem = line.problem.message;
          else if ('entries' in line) {
            for (const row of line.entries) items.push(itemOf(row));
            // Draw the first screen at once, later ones rarely, because each sorts all items.
            if (isAgain || (items.length > 200 && performance.now() - shownAt < 400)) return;
            shownAt = performance.now();
            items = [...items];
            this.#change({ items });
          }
        },
        controller.signal,
      );
      this.#change({ items: [...items], isLoading: false, error: problem });
    } catch (error) {
      if (controller.signal.aborted) return;
      this.#change({ isLoading: false, error: error instanceof Error ? error.message : '' });
      this.heard(error);
    }
  }

  #close(error: unknown): void {
    const [code, message, isFinal] =
      error instanceof ApiError
        ? [error.code, error.message, error.status === 403]
        : ['internal', '', false];
    this.#change({ phase: { kind: 'closed', code, message, retry: !isFinal }, isLoading: false });
  }

  #change(part: Partial<FilesSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...part };
    for (const listener of this.#listeners) listener();
  }
}
