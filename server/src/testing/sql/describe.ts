import type pg from 'pg';

/** A column of the rows of a statement. */
export interface Column {
  readonly name: string;
  /** OID of the type. */
  readonly type: number;
  /** OID and column number of the table; 0 for an expression. */
  readonly table: number;
  readonly number: number;
}

interface Fields {
  readonly fields: readonly {
    readonly name: string;
    readonly dataTypeID: number;
    readonly tableID: number;
    readonly columnID: number;
  }[];
}

/** Columns of a statement, or the error of PostgreSQL. */
export type Description = { readonly columns: readonly Column[] } | { readonly error: string };

/** Prepares a statement and describes its rows without executing it. */
export function describeStatement(client: pg.ClientBase, text: string): Promise<Description> {
  return new Promise((resolve) => {
    let description: Description = { columns: [] };
    client.query({
      submit: (connection: pg.Connection) => {
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription: ({ fields }: Fields) => {
        description = {
          columns: fields.map(({ name, dataTypeID, tableID, columnID }) => ({
            name,
            type: dataTypeID,
            table: tableID,
            number: columnID,
          })),
        };
      },
      handleError: (error: Error) => {
        // pg does not tell the end of a failed query.
        resolve({ error: error.message });
      },
      handleReadyForQuery: () => resolve(description),
    });
  });
}
