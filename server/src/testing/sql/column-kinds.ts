import pg from 'pg';

/** The form in which `pg` delivers a value, such as `string`, `Date`, `json` or `number[]`. */
export type ColumnKind = string;

/** A value as PostgreSQL writes it, by the category of its type. */
const SAMPLES: Readonly<Record<string, string>> = {
  B: 't',
  D: '2026-01-31 00:00:00+00',
  N: '1',
  T: '1 day',
};

interface StoredType {
  readonly oid: number;
  readonly name: string;
  readonly category: string;
  readonly element: number;
}

/** Asks the parsers of `pg` for the kind of each type that the database knows. */
export async function readColumnKinds(
  client: pg.ClientBase,
): Promise<(type: number) => ColumnKind> {
  const { rows } = await client.query<StoredType>(
    `select oid::integer, typname::text as name, typcategory::text as category,
      typelem::integer as element from pg_type`,
  );
  const types = new Map(rows.map((type) => [type.oid, type]));
  return (type) => {
    const stored = types.get(type);
    if (!stored) return 'unknown';
    const isList = stored.category === 'A';
    const { name, category } = (isList ? types.get(stored.element) : undefined) ?? stored;
    if (name === 'json' || name === 'jsonb') return isList ? 'json[]' : 'json';
    const sample = SAMPLES[category] ?? 'x';
    const parse = pg.types.getTypeParser(type, 'text');
    return kindOf(parse(isList ? `{"${sample}"}` : sample));
  };
}

function kindOf(value: unknown): ColumnKind {
  if (Array.isArray(value)) return `${kindOf(value[0])}[]`;
  if (value instanceof Date) return 'Date';
  if (Buffer.isBuffer(value)) return 'Buffer';
  return typeof value;
}
