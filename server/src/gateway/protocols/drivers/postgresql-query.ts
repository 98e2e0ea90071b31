import pg, { type Query } from 'pg';
import { canceled } from './driver.ts';

/** Methods of the connection of `pg` that its types omit or declare otherwise. */
interface Wire {
  parse(message: { readonly text: string; readonly name: string }): void;
  bind(message: { readonly portal: string; readonly statement: string }): void;
  describe(message: { readonly type: 'S' | 'P'; readonly name: string }): void;
  execute(message: { readonly portal: string }): void;
  flush(): void;
  sync(): void;
}

/** A query that runs exactly one statement. */
export interface OneStatement {
  readonly query: Query<(string | null)[]>;
  /** Keeps the server from executing the statement, if it does not execute it yet. */
  withdraw(): void;
}

/**
 * Builds a query that runs exactly one statement, whatever our parser found. It sends each step
 * after the server has taken the step before. A server that does not skip to Sync after an error
 * would otherwise run the statement before once more, as H2 2.4.240 does.
 */
export function oneStatement(text: string): OneStatement {
  const query = new pg.Query<(string | null)[]>({
    text,
    rowMode: 'array',
    types: { getTypeParser: () => (value: string | Buffer) => String(value) },
  } as pg.QueryConfig);
  let isWithdrawn = false;
  query.submit = (connection) => {
    const wire: Wire = connection as typeof connection & Wire;
    const bind = () => {
      wire.bind({ portal: '', statement: '' });
      wire.describe({ type: 'P', name: '' });
      wire.flush();
    };
    const execute = () => {
      connection.off('errorMessage', failed);
      // After the description of the columns, which `pg` expects only in a running query.
      if (isWithdrawn)
        connection.prependOnceListener('readyForQuery', () =>
          connection.emit('errorMessage', canceled()),
        );
      else wire.execute({ portal: '' });
      wire.sync();
    };
    const failed = () => {
      connection.off('parseComplete', bind);
      connection.off('bindComplete', execute);
      wire.sync();
    };
    connection.once('parseComplete', bind);
    connection.once('bindComplete', execute);
    connection.once('errorMessage', failed);
    wire.parse({ text, name: '' });
    // pgpool-II 4.3.5 keeps the answer to a Parse until the answer to a Describe.
    wire.describe({ type: 'S', name: '' });
    wire.flush();
  };
  return {
    query,
    withdraw: () => {
      isWithdrawn = true;
    },
  };
}
