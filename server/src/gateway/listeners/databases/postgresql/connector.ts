import {
  isPooled,
  POSTGRES_PROCESS,
  type PostgresReply,
  type PostgresTarget,
  runAtPostgres,
  signInAtPostgres,
} from '@sallyport/sql-relays';
import { withDates } from '../../../../platform/certificate-dates.ts';
import type { Connection, Connector, Route } from '../../../protocols/connector.ts';
import { cancelOverRoute } from '../../../protocols/drivers/postgresql-cancel.ts';
import { databaseRefusalOf } from '../../../protocols/drivers/wire.ts';
import { openTransport } from '../../../protocols/ssh/transport.ts';

export interface PostgresConnection extends Connection {
  readonly target: PostgresTarget;
  /** Resolves when the server has handled the request. */
  cancel(): Promise<void>;
  /**
   * Runs our own statement before the client may run any. Returns bytes that followed the answer.
   */
  run(statement: string, signal: AbortSignal): Promise<Buffer>;
  /** Returns true if a pooler shares the session among its clients. Call it before `run`. */
  isPooled(signal: AbortSignal): Promise<boolean>;
}

/** Client parameters that we do not forward. */
const OWN_PARAMETERS = new Set([
  'user',
  'database',
  'replication',
  'default_transaction_read_only',
  'client_encoding',
]);

/** Returns the startup parameters for the server: the client's, except those that we set. */
export function parametersFor(
  requested: ReadonlyMap<string, string>,
  database: string | null,
): ReadonlyMap<string, string> {
  const requestedName = requested.get('database');
  // Without a database, clients send the name of their user.
  const name =
    requestedName === undefined || requestedName === '' || requestedName === requested.get('user')
      ? database
      : requestedName;
  const kept = [...requested].filter(
    ([key]) => !OWN_PARAMETERS.has(key.toLowerCase()) && !key.startsWith('_pq_.'),
  );
  // We parse statements as UTF-8, so the server must too.
  return new Map([
    ...kept,
    ['client_encoding', 'UTF8'],
    ...(name ? [['database', name] as const] : []),
  ]);
}

/** Connects to PostgreSQL servers. `parametersOf` returns the startup parameters. */
export function postgresConnector(
  parametersOf: (route: Route) => ReadonlyMap<string, string>,
): Connector {
  return {
    protocol: 'postgresql',
    sessionKinds: ['query'],
    async connect(route, signal): Promise<PostgresConnection> {
      const { target, database, timeoutMs } = route;
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const tls = withDates(database?.tls);
      const transport = await openTransport(route, signal);
      const close = () => {
        transport.stream.destroy();
        transport.close();
      };
      transport.stream.on('error', () => undefined);
      try {
        route.onStage('authenticating', target.name);
        const { username, password = '' } = target.login;
        const opened = await signInAtPostgres(
          transport.stream,
          { username, password, tls, parameters: parametersOf(route) },
          inTime,
        );
        opened.stream.on('error', () => undefined);
        let { rest } = opened;
        const run = async (statement: string, runSignal: AbortSignal): Promise<PostgresReply> => {
          const late = AbortSignal.timeout(timeoutMs);
          try {
            const now = { stream: opened.stream, rest };
            const reply = await runAtPostgres(now, statement, AbortSignal.any([runSignal, late]));
            rest = reply.rest;
            return reply;
          } catch (error) {
            runSignal.throwIfAborted();
            throw databaseRefusalOf(error, route, late.aborted);
          }
        };
        return {
          target: opened,
          close,
          run: async (statement, runSignal) => (await run(statement, runSignal)).rest,
          isPooled: async (runSignal) =>
            isPooled(opened.cancelKey, (await run(POSTGRES_PROCESS, runSignal)).value),
          async cancel() {
            if (opened.cancelKey) await cancelOverRoute(route, opened.cancelKey);
          },
        };
      } catch (error) {
        close();
        signal.throwIfAborted();
        throw databaseRefusalOf(error, route, inTime.aborted);
      }
    },
  };
}
