import { MOST_CELL, type Problem } from '@sallyport/contract';
import { isSecretColumn, maskValue } from '../../../platform/secrets/mask-text.ts';
import type { DatabaseDriver } from '../../protocols/drivers/driver.ts';
import { problemOf } from '../../refusal.ts';
import type { Capture } from '../../sessions/capture.ts';
import type { DatabaseSession } from '../../sessions/database/database-session.ts';
import { query } from '../../sessions/database/driver-query.ts';
import { databaseOpener, openDriver } from '../../sessions/database/open-database.ts';
import { QueryRunner } from '../../sessions/database/query-runner.ts';
import type { Row } from '../../sessions/database/result-spool.ts';
import { partsOf } from '../../sessions/database/statement-parts.ts';
import { beforeOpening } from '../../sessions/database/time-limits.ts';
import { type AgentCall, openLeashed, type Surroundings } from './open-leashed.ts';
import type { AgentResult } from './run-agent-command.ts';
import { StatementClient, type StatementOutcome } from './statement-client.ts';

/** A statement of an agent for a database. */
export interface AgentStatement extends AgentCall {
  readonly statement: string;
  /** Maximum number of rows that are kept. */
  readonly rows: number;
  /** Rows that an UPDATE or DELETE may affect; without it, the answer shows them only. */
  readonly changes: number | undefined;
}

/** The rows of a statement. Values are masked like the command log. */
export interface StatementTable {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** Rows that the database returned or changed. */
  readonly total?: number | undefined;
}

/** The result of a statement; `outcome` if it did not run as asked. */
export interface StatementResult extends AgentResult {
  readonly table: StatementTable;
  readonly outcome: StatementOutcome | undefined;
}

const RUN = 1;
/** First words of statements that an agent runs: reads, and changes of rows. */
const VERBS: ReadonlySet<string> = new Set([
  ...['select', 'values', 'table', 'with', 'show', 'describe', 'desc', 'explain'],
  ...['insert', 'update', 'delete'],
]);

/**
 * Runs one statement of an agent as a recorded session of its owner, with the checks of a query
 * workspace and those of the leash. Never throws.
 */
export async function runAgentStatement(
  call: AgentStatement,
  surroundings: Surroundings,
): Promise<StatementResult> {
  const { statement, rows: most, changes, room, signal } = call;
  const { ports, recordings } = surroundings;
  const client = new StatementClient(changes);
  let capture: Pick<Capture, 'isMasked' | 'text'> | undefined;
  let runner: QueryRunner | undefined;
  let problem = client.problem;
  try {
    const session = await openLeashed(call, surroundings, {
      request: { kind: 'database_app' },
      client,
      opener: databaseOpener({
        client,
        recordings,
        async open(opened, connection) {
          const driver = await openDriver(opened, connection);
          await beginCommitting(opened, driver);
          const queries = new QueryRunner({
            session: opened,
            driver,
            folder: ports.disk.folder,
            ports,
            send: (message) => client.take(message),
            // A change must not be stopped by the rows that it returns.
            ...(opened.isReadOnly && { mostRows: most + 1 }),
          });
          runner = queries;
          void opened.ended.then(() => queries.close());
          return { close: () => queries.disconnect() };
        },
      }),
      onParts(parts) {
        capture = parts.capture;
      },
    });
    try {
      problem = problemBefore(call, session);
      if (!problem) {
        await runner?.run(RUN, statement);
        if (client.result !== undefined) await runner?.rows(client.result, 0, most);
      }
    } finally {
      session.end('session_finished');
      await session.ended;
    }
    problem ??= client.problem;
  } catch (error) {
    problem = signal.aborted ? problemOf(signal.reason) : (client.problem ?? problemOf(error));
    if (problem.code === 'internal') ports.log.error({ err: error }, 'a call of an agent failed');
  }
  const { total, errors, outcome, hasRun } = client;
  const { columns, rows, bytes, isCut } = withRoom(
    client.columns,
    client.rows.slice(0, most),
    room,
  );
  const text = (words: string) => capture?.text(words) ?? words;
  return {
    output: '',
    errors: text(errors),
    bytes,
    isCut:
      isCut ||
      client.isCut ||
      client.rows.length > most ||
      rows.some((row) => row.some(isCutValue)) ||
      (client.result !== undefined && (total ?? 0) > rows.length),
    exit: undefined,
    hasRun,
    problem,
    table: { columns, rows: capture ? maskRows(columns, rows, capture) : rows, total },
    // A preview that failed has the database's own words.
    outcome: outcome && { ...outcome, detail: text(outcome.detail) },
  };
}

/** Returns why an agent may not run a text, whatever the rights are; undefined if it may. */
function problemBefore(
  { statement, leash }: AgentStatement,
  session: DatabaseSession,
): Problem | undefined {
  const parts = partsOf(statement, session.row.grant.database?.type, undefined);
  const [part] = parts;
  if (!part || parts.length > 1) return { code: 'agent_statement' };
  // A leash that only reads lets no other statement pass.
  return !leash.mayChange || VERBS.has(part.words[0] ?? '')
    ? undefined
    : { code: 'agent_statement_kind' };
}

/** Returns true for a value that the runner cut. It ends with an ellipsis. */
const isCutValue = (value: string | null): boolean => value !== null && value.length > MOST_CELL;

/** Masks rows like the command log: columns with a name like `password`, and known secrets. */
function maskRows(
  columns: readonly string[],
  rows: readonly Row[],
  { isMasked, text }: Pick<Capture, 'isMasked' | 'text'>,
): readonly Row[] {
  const isSecret = columns.map((name) => isMasked && isSecretColumn(name));
  // A cut value can end within a secret.
  const masked = (value: string) =>
    isCutValue(value) ? `${text(value.slice(0, MOST_CELL), true)}…` : text(value);
  return rows.map((row) =>
    row.map((value, at) => {
      if (value === null) return null;
      return isSecret[at] ? maskValue(value) : masked(value);
    }),
  );
}

/**
 * Switches autocommit on: a MySQL server with another default would roll the statement back at the
 * end of the session. @throws Refusal
 */
async function beginCommitting(session: DatabaseSession, driver: DatabaseDriver): Promise<void> {
  if (session.row.grant.database?.type === 'postgresql') return;
  await beforeOpening(session, query(driver, 'set autocommit = 1'));
}

/** Returns the first rows that have room together with the names of their columns. */
function withRoom(columns: readonly string[], rows: readonly Row[], room: number) {
  const size = (texts: readonly (string | null)[]) => Buffer.byteLength(JSON.stringify(texts));
  const kept: Row[] = [];
  let bytes = size(columns);
  if (bytes > room) return { columns: [], rows: kept, bytes: 0, isCut: true };
  for (const row of rows) {
    const more = size(row);
    if (bytes + more > room) return { columns, rows: kept, bytes, isCut: true };
    bytes += more;
    kept.push(row);
  }
  return { columns, rows: kept, bytes, isCut: false };
}
