import {
  DATABASE_SOCKET_PATH,
  type DatabaseClientMessage,
  type DatabaseServerMessage,
  type ExportFormat,
  redisValueCommand,
} from '@sallyport/contract';
import { toast } from '../../kit/dialogs/toast.tsx';
import { download } from '../../kit/download.ts';
import { socketUrl } from '../connection/terminal-socket.ts';
import { FIRST, hear, type QueryState } from './query-state.ts';

/** Rows of one request. */
export const PAGE = 100;
/** Maximum cached pages of all results. */
const MOST_PAGES = 300;
const BYTE_ORDER_MARK = 3;

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export type Row = readonly (string | null)[];

/** A workspace's connection to the gateway: its state, and the loaded rows. */
export class QueryConnection {
  #state: QueryState = FIRST;
  #socket: WebSocket | undefined;
  #run = 0;
  #isClosed = false;
  #file: ArrayBuffer[] = [];
  #format: ExportFormat = 'csv';
  /** Pages by result and number; undefined while the request is open. */
  readonly #pages = new Map<string, readonly Row[] | undefined>();
  readonly #listeners = new Set<() => void>();
  readonly #app: string;
  readonly #systemUser: string;

  constructor(app: string, systemUser: string) {
    this.#app = app;
    this.#systemUser = systemUser;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly get = (): QueryState => this.#state;

  /** Connects or reconnects. */
  readonly open = (): void => {
    this.#socket?.close(1000);
    this.#isClosed = false;
    this.#pages.clear();
    this.#set(FIRST);
    const socket = new WebSocket(socketUrl(DATABASE_SOCKET_PATH));
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    socket.addEventListener('open', () =>
      this.#send({ type: 'connect', app: this.#app, system_user: this.#systemUser }),
    );
    socket.addEventListener('message', ({ data }) => {
      if (socket !== this.#socket) return;
      if (typeof data === 'string') this.#hear(JSON.parse(data) as DatabaseServerMessage);
      else if (data instanceof ArrayBuffer) {
        this.#file.push(data);
        this.#send({ type: 'ack', bytes: data.byteLength });
      }
    });
    socket.addEventListener('close', () => {
      if (socket !== this.#socket || this.#state.phase.name === 'closed' || this.#isClosed) return;
      this.#set({
        ...this.#state,
        phase: { name: 'closed', code: 'line_lost', message: '', retry: true },
        isRunning: false,
      });
    });
  };

  /** Ends the session. */
  readonly close = (): void => {
    this.#isClosed = true;
    this.#socket?.close(1000);
  };

  /** Runs a text, or only its statement at offset `at`. */
  readonly run = (text: string, at?: number): void => {
    if (this.#state.isRunning || this.#state.phase.name !== 'open') return;
    this.#run += 1;
    for (const { result } of this.#state.outcomes)
      if (result !== null) this.#send({ type: 'forget', result });
    this.#pages.clear();
    this.#set({ ...this.#state, outcomes: [], isRunning: true });
    this.#send({ type: 'run', run: this.#run, text, ...(at !== undefined && { at }) });
  };

  readonly cancel = (): void => this.#send({ type: 'cancel' });
  readonly loadSchema = (): void => this.#send({ type: 'schema' });
  readonly loadHistory = (search: string): void => this.#send({ type: 'history', search });

  /** Requests Redis keys by prefix; `cursor` continues an earlier answer. */
  readonly loadKeys = (prefix: string, cursor = '0'): void =>
    this.#send({ type: 'keys', prefix, cursor });

  /** Requests the value of a Redis key; the value arrives as a result. */
  readonly openKey = (key: string): void => this.#send({ type: 'key', key });

  readonly setAutocommit = (on: boolean): void => {
    this.#send({ type: 'autocommit', on });
    this.#set({ ...this.#state, autocommit: on });
  };

  readonly credentials = (username: string, password: string): void => {
    this.#send({ type: 'credentials', username, password });
    this.#set({
      ...this.#state,
      phase: { name: 'connecting', stage: 'authenticating', host: null, gateway: false },
    });
  };

  readonly factor = (code: string): void => {
    this.#send({ type: 'factor', code });
    this.#set({ ...this.#state, phase: FIRST.phase });
  };

  readonly reason = (text: string): void => {
    this.#send({ type: 'reason', text });
    this.#set({ ...this.#state, phase: FIRST.phase });
  };

  readonly answer = (yes: boolean, word?: string): void => {
    this.#send({ type: 'answer', yes, ...(word !== undefined && { word }) });
    this.#set({ ...this.#state, question: null });
  };

  readonly exportResult = (result: number, format: ExportFormat): void => {
    this.#file = [];
    this.#format = format;
    this.#set({ ...this.#state, exporting: result });
    this.#send({ type: 'export', result, format });
  };

  readonly downloadScript = (script: string): void => {
    this.#file = [];
    this.#set({ ...this.#state, exporting: script });
    this.#send({ type: 'undo', script });
  };

  /** Returns a row of a result; requests its page if it is not loaded. */
  readonly row = (result: number, index: number): Row | undefined => {
    const page = Math.floor(index / PAGE);
    const key = `${result} ${page}`;
    if (!this.#pages.has(key)) {
      const [oldest] = this.#pages.keys();
      if (this.#pages.size >= MOST_PAGES && oldest !== undefined) this.#pages.delete(oldest);
      this.#pages.set(key, undefined);
      this.#send({ type: 'rows', result, from: page * PAGE, count: PAGE });
    }
    return this.#pages.get(key)?.[index - page * PAGE];
  };

  #hear(message: DatabaseServerMessage): void {
    if (message.type === 'rows') {
      // An incomplete page is requested again when more rows exist.
      if (message.rows.length > 0)
        this.#pages.set(`${message.result} ${Math.floor(message.from / PAGE)}`, message.rows);
      this.#set({ ...this.#state });
      return;
    }
    if (message.type === 'progress') this.#forgetPartial(message.result);
    if (message.type === 'refused') toast.error(message.message);
    if (message.type === 'exported') this.#save(message.result);
    this.#set(hear(this.#state, message));
    if (message.type === 'open') this.loadSchema();
    const command =
      message.type === 'key' ? redisValueCommand(message.kind, message.key) : undefined;
    if (command) this.run(command);
  }

  #forgetPartial(result: number): void {
    for (const [key, rows] of this.#pages)
      if (key.startsWith(`${result} `) && rows !== undefined && rows.length < PAGE)
        this.#pages.delete(key);
  }

  /** Saves a received file: a result, or an undo script. */
  #save(result: number | null): void {
    if (this.#file.reduce((sum, { byteLength }) => sum + byteLength, 0) <= BYTE_ORDER_MARK) return;
    const isScript = result === null;
    const type = isScript ? 'application/sql' : MEDIA_TYPES[this.#format];
    const address = URL.createObjectURL(new Blob(this.#file, { type }));
    download(address, isScript ? 'undo.sql' : `result-${result}.${this.#format}`);
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    this.#file = [];
  }

  #send(message: DatabaseClientMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #set(state: QueryState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
