import { type MysqlTarget, runAtMysql, signInAtMysql } from '@sallyport/sql-relays';
import { withDates } from '../../../../platform/certificate-dates.ts';
import type { Connection, Connector } from '../../../protocols/connector.ts';
import { databaseRefusalOf } from '../../../protocols/drivers/wire.ts';
import { openTransport } from '../../../protocols/ssh/transport.ts';

export interface MysqlConnection extends Connection {
  readonly target: MysqlTarget;
  /** Runs our own statement before the client may run any. */
  run(statement: string, signal: AbortSignal): Promise<void>;
}

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
        const opened = await signInAtMysql(
          transport.stream,
          {
            username,
            password,
            tls: withDates(route.database?.tls),
            database: first,
            capabilities,
          },
          inTime,
        );
        opened.stream.on('error', () => undefined);
        return {
          target: opened,
          close,
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
