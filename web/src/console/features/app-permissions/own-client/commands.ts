import type { DatabasePassword } from '@sallyport/contract';

type Made = Pick<DatabasePassword, 'protocol' | 'host' | 'port' | 'username' | 'database' | 'tls'>;

/** What no shell gives a meaning to. */
const PLAIN = /^[\w.@:+=-]+$/;
/** What shells read between double quotes. */
const SPECIAL = /["$`\\!%]/;

/** A word for a shell: as it is, or in quotes that both POSIX shells and that of Windows know where that is possible. */
function word(text: string): string {
  if (PLAIN.test(text)) return text;
  return SPECIAL.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

/** A value of a connection string of PostgreSQL. */
function value(text: string): string {
  return /^[\w.@:+-]+$/.test(text)
    ? text
    : `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** The commands that connect, by the name of their program. None has the password: the program asks for it. */
export function commandsFor({
  protocol,
  host,
  port,
  username,
  database,
  tls,
}: Made): readonly { readonly name: string; readonly command: string }[] {
  if (protocol === 'postgresql') {
    const parts = [
      `host=${value(host)}`,
      `port=${port}`,
      `user=${value(username)}`,
      ...(database ? [`dbname=${value(database)}`] : []),
      ...(tls ? ['sslmode=require'] : []),
    ];
    return [{ name: 'psql', command: `psql ${word(parts.join(' '))}` }];
  }
  const shared = [
    '-h',
    word(host),
    '-P',
    String(port),
    '-u',
    word(username),
    '-p',
    ...(database ? [word(database)] : []),
  ].join(' ');
  return [
    { name: 'mysql', command: `mysql ${tls ? '--ssl-mode=REQUIRED ' : ''}${shared}` },
    { name: 'mariadb', command: `mariadb ${tls ? '--ssl ' : ''}${shared}` },
  ];
}
