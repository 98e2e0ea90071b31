import { type MysqlTarget, runAtMysql, signInAtMysql } from '@sallyport/sql-relays';
import { withDates } from '../../../../platform/certificate-dates.ts';
import type { Connection, Connector } from '../../../protocols/connector.ts';
import { databaseRefusalOf } from '../../../protocols/drivers/wire.ts';
import { openTransport } from '../../../protocols/ssh/transport.ts';

export interface MysqlConnection extends Connection {
  readonly target: MysqlTarget;
  /** Runs our own statement before the client may run any. */
  run(statement: string, signal: AbortSignal): Promise<void>;
  /** Cancels the running statement over another connection. @throws the error of it */
  cancel(): Promise<void>;
}

/** Timeout of a cancellation. */
const CANCEL_MS = 10_000;

/** The parameters that the client agreed to. */
export interface MysqlWishes {
  readonly capabilities: number;
  /** Empty for the database of the app. */
  readonly database: string;
}

/** Connects to MySQL servers with the capabilities agreed with the client. */
export function mysqlConnector({ capabilities, database }: MysqlWishes): Connector {
  return {
    protocol: 'mysql',
    sessionKinds: ['query'],
    async connect(route, signal): Promise<MysqlConnection> {
      const { target, timeoutMs } = route;
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const transport = await openTransport(route, signal);
      const close = () => {
        transport.stream.destroy();
        transport.close();
      };
      transport.stream.on('error', () => undefined);
      try {
        route.onStage('authenticating', target.name);
        const { username, password = '' } = target.login;
        const first = database || (route.database?.name ?? '');
        const signIn = {
          username,
          password,
          tls: withDates(route.database?.tls),
          database: first,
          capabilities,
        };
        const opened = await signInAtMysql(transport.stream, signIn, inTime);
        opened.stream.on('error', () => undefined);
        return {
          target: opened,
          close,
          async cancel() {
            // MySQL Router 9.7.4 greets with 0 where its clients share sessions of the server.
            if (opened.connectionId === 0) return;
            const late = AbortSignal.timeout(CANCEL_MS);
            const other = await openTransport({ ...route, onStage: () => undefined }, late);
            try {
              other.stream.on('error', () => undefined);
              const second = await signInAtMysql(other.stream, signIn, late);
              second.stream.on('error', () => undefined);
              await runAtMysql(second, `kill query ${opened.connectionId}`, late);
            } finally {
              other.stream.destroy();
              other.close();
            }
          },
          async run(statement, runSignal) {
            const late = AbortSignal.timeout(timeoutMs);
            try {
              return await runAtMysql(opened, statement, AbortSignal.any([runSignal, late]));
            } catch (error) {
              runSignal.throwIfAborted();
              throw databaseRefusalOf(error, route, late.aborted);
            }
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
