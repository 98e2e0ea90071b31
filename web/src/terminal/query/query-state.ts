import type {
  ApprovalProgress,
  ConnectStage,
  DatabaseSchema,
  DatabaseServerMessage,
  DatabaseType,
  EarlierStatement,
  RowSample,
  SweepAct,
  TransactionState,
} from '@sallyport/contract';
import type { ClosedCode } from '../connection/connection-state.ts';
import { addKeys, type FoundKeys } from './found-keys.ts';

/** Result of one statement so far. */
export interface Outcome {
  readonly key: number;
  readonly text: string;
  /** Offset in the text of the run. */
  readonly from: number;
  readonly to: number;
  /** Id of the result at the server; null without rows. */
  readonly result: number | null;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Number of available or changed rows. */
  readonly rows: number | null;
  readonly milliseconds: number | null;
  readonly isCut: boolean;
  readonly error: string | null;
  readonly position: number | null;
  readonly isRefused: boolean;
  readonly isOver: boolean;
  /** Undo scripts that were kept when it ended. */
  readonly scripts: readonly { readonly id: string; readonly rows: number }[];
  /** The reason why its undo script was not kept; null if none. */
  readonly noScript: string | null;
}

/** Phase of a database connection. */
export type Phase =
  | {
      readonly name: 'connecting';
      readonly stage: ConnectStage;
      readonly progress?: ApprovalProgress | undefined;
      readonly host: string | null;
      readonly gateway: boolean;
    }
  | {
      readonly name: 'credentials';
      readonly username: string;
      readonly reason: 'manual' | 'rejected';
    }
  | { readonly name: 'factor'; readonly again: boolean }
  | { readonly name: 'reason' }
  | {
      readonly name: 'open';
      readonly app: string;
      readonly account: string;
      readonly database: DatabaseType;
      readonly database_name: string | null;
    }
  | {
      readonly name: 'closed';
      readonly code: ClosedCode;
      readonly message: string;
      readonly retry: boolean;
    };

export interface QueryState {
  readonly phase: Phase;
  readonly canExport: boolean;
  readonly isReadOnly: boolean;
  readonly isRunning: boolean;
  readonly transaction: TransactionState;
  readonly autocommit: boolean;
  readonly outcomes: readonly Outcome[];
  readonly schema: DatabaseSchema | null;
  /** The user's earlier statements for a search; null while loading. */
  readonly history: {
    readonly search: string;
    readonly statements: readonly EarlierStatement[];
  } | null;
  /** Loaded Redis keys with a prefix; null while loading. */
  readonly keys: FoundKeys | null;
  /** The selected Redis key. */
  readonly key: {
    readonly key: string;
    readonly kind: string;
    readonly seconds: number | null;
  } | null;
  readonly notice: string | null;
  readonly question: {
    readonly message: string;
    readonly act: SweepAct | null;
    /** The word that the user must type; null if none. */
    readonly word: string | null;
    /** The first affected rows; null without a preview, undefined for other questions. */
    readonly preview?: RowSample | null | undefined;
  } | null;
  /** The result or undo script whose download is running. */
  readonly exporting: number | string | null;
}

export const FIRST: QueryState = {
  phase: { name: 'connecting', stage: 'checking', host: null, gateway: false },
  canExport: false,
  isReadOnly: false,
  isRunning: false,
  transaction: 'none',
  autocommit: true,
  outcomes: [],
  schema: null,
  history: null,
  keys: null,
  key: null,
  notice: null,
  question: null,
  exporting: null,
};

const MOST_OUTCOMES = 20;

const changeLast = (state: QueryState, change: (last: Outcome) => Partial<Outcome>): QueryState => {
  const last = state.outcomes.at(-1);
  return last
    ? { ...state, outcomes: [...state.outcomes.slice(0, -1), { ...last, ...change(last) }] }
    : state;
};

const emptyOutcome = (key: number, text: string, from: number, to: number): Outcome => ({
  key,
  text,
  from,
  to,
  result: null,
  columns: [],
  rows: null,
  milliseconds: null,
  isCut: false,
  error: null,
  position: null,
  isRefused: false,
  isOver: false,
  scripts: [],
  noScript: null,
});

let lastKey = 0;
const nextKey = () => ++lastKey;

type Message<Type extends DatabaseServerMessage['type']> = Extract<
  DatabaseServerMessage,
  { readonly type: Type }
>;

function connecting(state: QueryState, { stage, host, progress }: Message<'stage'>): QueryState {
  const gateway = stage === 'gateway' || (state.phase.name === 'connecting' && state.phase.gateway);
  return { ...state, phase: { name: 'connecting', stage, host: host ?? null, gateway, progress } };
}

function opened(state: QueryState, message: Message<'open'>): QueryState {
  const { app, account, database, name, autocommit } = message;
  return {
    ...state,
    autocommit,
    phase: { name: 'open', app, account, database, database_name: name },
    canExport: message.can_export,
    isReadOnly: message.is_read_only,
  };
}

const addOutcome = (
  state: QueryState,
  { text, from, to }: Pick<Outcome, 'text' | 'from' | 'to'>,
): QueryState => ({
  ...state,
  outcomes: [...state.outcomes, emptyOutcome(nextKey(), text, from, to)].slice(-MOST_OUTCOMES),
});

function startResult(state: QueryState, message: Message<'result'>): QueryState {
  const last = state.outcomes.at(-1);
  // A procedure returns several results; show each.
  const base = last && last.result !== null ? addOutcome(state, last) : state;
  return changeLast(base, () => ({ result: message.result, columns: message.columns, rows: 0 }));
}

function failed(state: QueryState, message: Message<'failed'>): QueryState {
  const last = state.outcomes.at(-1);
  const base =
    last && !last.isOver && !message.is_refused
      ? state
      : { ...state, outcomes: [...state.outcomes, emptyOutcome(nextKey(), '', 0, 0)] };
  return changeLast(base, () => ({
    error: message.message,
    position: message.position,
    isRefused: message.is_refused,
    isOver: true,
  }));
}

/** The state after a message of the server. */
export function hear(state: QueryState, message: DatabaseServerMessage): QueryState {
  switch (message.type) {
    case 'stage':
      return connecting(state, message);
    case 'need_credentials':
      return {
        ...state,
        phase: { name: 'credentials', username: message.username, reason: message.reason },
      };
    case 'need_factor':
      return { ...state, phase: { name: 'factor', again: message.again } };
    case 'need_reason':
      return { ...state, phase: { name: 'reason' } };
    case 'open':
      return opened(state, message);
    case 'rights':
      return { ...state, canExport: message.can_export, isReadOnly: message.is_read_only };
    case 'statement':
      return addOutcome(state, message);
    case 'result':
      return startResult(state, message);
    case 'progress':
      return {
        ...state,
        outcomes: state.outcomes.map((one) =>
          one.result === message.result ? { ...one, rows: message.rows } : one,
        ),
      };
    case 'answered':
      return changeLast(state, (last) => ({
        rows: message.result === null && last.result !== null ? last.rows : message.rows,
        milliseconds: message.milliseconds,
        isCut: last.isCut || message.is_cut,
        isOver: true,
      }));
    case 'undo':
      return changeLast(state, ({ scripts }) =>
        message.script === null
          ? { noScript: message.message }
          : { scripts: [...scripts, { id: message.script, rows: message.rows }] },
      );
    case 'failed':
      return failed(state, message);
    case 'finished':
      return {
        ...state,
        isRunning: false,
        question: null,
        transaction: message.transaction,
        autocommit: message.autocommit,
      };
    case 'schema':
      return {
        ...state,
        schema: { tables: message.tables, commands: message.commands, isCut: message.isCut },
      };
    case 'history':
      return { ...state, history: { search: message.search, statements: message.statements } };
    case 'keys':
      return { ...state, keys: addKeys(state.keys, message) };
    case 'key':
      return { ...state, key: { key: message.key, kind: message.kind, seconds: message.seconds } };
    case 'ask':
      return {
        ...state,
        question: {
          message: message.message,
          act: message.act ?? null,
          word: message.word ?? null,
          preview: message.preview,
        },
      };
    case 'notice':
      return { ...state, notice: message.over ? null : message.message };
    case 'exported':
    case 'refused':
      return { ...state, exporting: null };
    case 'closed':
      return {
        ...state,
        phase: {
          name: 'closed',
          code: message.code,
          message: message.message,
          retry: message.retry,
        },
        isRunning: false,
        question: null,
        exporting: null,
      };
    default:
      return state;
  }
}
