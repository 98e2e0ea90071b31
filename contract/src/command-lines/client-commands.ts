import { isOperand } from '../kit/misleading.ts';
import type { CommandLine } from './shell-text.ts';

/** Where a client of a database connects. */
export interface DatabasePlace {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** Blank: the default database of the account. */
  readonly database: string;
}

/** A value is unsafe to give to a client program. */
export class UnsafeValue extends Error {
  override readonly name = 'UnsafeValue';
  readonly field: keyof DatabasePlace;

  constructor(field: keyof DatabasePlace) {
    super(`${field} begins with a hyphen or has control characters`);
    this.field = field;
  }
}

/**
 * Returns the field that no client program should receive: it begins like an option, has control
 * characters, or is no port. Undefined if all fields are safe.
 */
export function unsafeField(place: DatabasePlace): keyof DatabasePlace | undefined {
  if (!Number.isInteger(place.port) || place.port < 1 || place.port > 65_535) return 'port';
  return (['host', 'username', 'database'] as const).find((field) => !isOperand(place[field]));
}

/** Quotes a value of a PostgreSQL connection string. */
const connectionValue = (text: string): string =>
  /^[\w.@:+-]+$/.test(text) ? text : `'${text.replace(/[\\']/g, '\\$&')}'`;

/** psql with everything but the password in one connection string. */
export const psqlCommand = (place: DatabasePlace, isTls: boolean): CommandLine => ({
  program: 'psql',
  args: [
    [
      `host=${connectionValue(place.host)}`,
      `port=${place.port}`,
      `user=${connectionValue(place.username)}`,
      ...(place.database ? [`dbname=${connectionValue(place.database)}`] : []),
      ...(isTls ? ['sslmode=require'] : []),
    ].join(' '),
  ],
});

/** mysql or mariadb, which ask for the password. Each value is part of its option. */
export const mysqlCommand = (
  program: 'mysql' | 'mariadb',
  place: DatabasePlace,
  isTls: boolean,
): CommandLine => ({
  program,
  args: [
    ...(isTls ? [program === 'mysql' ? '--ssl-mode=REQUIRED' : '--ssl'] : []),
    `--host=${place.host}`,
    `--port=${place.port}`,
    `--user=${place.username}`,
    '--password',
    ...databaseOption(place),
  ],
});

/** The option of mysql that names a database: as an operand the name could be an option. */
const databaseOption = ({ database }: Pick<DatabasePlace, 'database'>): string[] =>
  database === '' ? [] : [`--database=${database}`];

/** Quotes a value of an option file of MySQL. */
const optionValue = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`;

/**
 * Returns an option file of mysql with one line for each option.
 * @throws Error for a value with control characters, which could add a line
 */
export function mysqlOptionFile(options: Readonly<Record<string, string | number | true>>): string {
  const lines = Object.entries(options).map(([name, value]) => {
    if (value === true) return name;
    if (typeof value === 'number') return `${name}=${value}`;
    if (/\p{Cc}/u.test(value)) throw new Error(`${name} has control characters`);
    return `${name}=${optionValue(value)}`;
  });
  return `${['[client]', ...lines].join('\n')}\n`;
}
