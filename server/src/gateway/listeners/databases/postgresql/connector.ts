import type { Connection, Connector, Route } from '../../../protocols/connector.ts';
import {
  cancelAtPostgres,
  type PostgresTarget,
  runAtPostgres,
  SignInRefused,
  signInAtPostgres,
} from '../../../protocols/postgresql/target.ts';
import { openTransport } from '../../../protocols/ssh/transport.ts';
import { targetRefusalOf } from '../target-refusal.ts';

/** A session at a server, with how to cancel what it does. */
export interface PostgresConnection extends Connection {
  readonly target: PostgresTarget;
  cancel(signal: AbortSignal): Promise<void>;
  /** Runs a statement of ours before the client may; what came behind its answer is returned. */
  run(statement: string, signal: AbortSignal): Promise<Buffer>;
}

/** What a client chose that the server does not get from it. */
const OURS = new Set([
  'user',
  'database',
  'replication',
  'default_transaction_read_only',
  'client_encoding',
]);

/** What a session at the server begins with: what the client asked for, but for what is ours to say. */
export function parametersFor(
  asked: ReadonlyMap<string, string>,
  database: string | null,
): ReadonlyMap<string, string> {
  const wanted = asked.get('database');
  // Without a database clients name the one that is called like their user.
  const name =
    wanted === undefined || wanted === '' || wanted === asked.get('user') ? database : wanted;
  const kept = [...asked].filter(
    ([key]) => !OURS.has(key.toLowerCase()) && !key.startsWith('_pq_.'),
  );
  // Statements are read as UTF-8, whatever the client would like.
  return new Map([
    ...kept,
    ['client_encoding', 'UTF8'],
    ...(name ? [['database', name] as const] : []),
  ]);
}

/** Speaks the protocol of PostgreSQL to servers, message by message. `parametersOf` says what a session begins with. */
export function postgresConnector(
  parametersOf: (route: Route) => ReadonlyMap<string, string>,
): Connector {
  return {
    protocol: 'postgresql',
    sessionKinds: ['query'],
    async connect(route, signal): Promise<PostgresConnection> {
      const { target, database, timeoutMs } = route;
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const tls = database?.tls;
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
        return {
          target: opened,
          close,
          run: (statement, runSignal) =>
            runAtPostgres(
              opened,
              statement,
              AbortSignal.any([runSignal, AbortSignal.timeout(timeoutMs)]),
            ),
          async cancel(cancelSignal) {
            if (!opened.cancelKey) return;
            const other = await openTransport(route, cancelSignal);
            other.stream.on('error', () => undefined);
            try {
              await cancelAtPostgres(
                other.stream,
                tls,
                opened.cancelKey,
                AbortSignal.any([cancelSignal, AbortSignal.timeout(timeoutMs)]),
              );
            } finally {
              other.stream.destroy();
              other.close();
            }
          },
        };
      } catch (error) {
        close();
        signal.throwIfAborted();
        const refused =
          error instanceof SignInRefused
            ? { isAboutAccount: error.isAboutAccount, code: error.answer.code }
            : undefined;
        throw targetRefusalOf(error, refused, route, inTime.aborted);
      }
    },
  };
}
