import type { DatabasePassword } from '@sallyport/contract';

type Issued = Pick<
  DatabasePassword,
  'protocol' | 'host' | 'port' | 'username' | 'database' | 'tls'
>;

/** Characters without a special meaning in any shell. */
const PLAIN = /^[\w.@:+=-]+$/;
/** Characters that shells interpret between double quotes. */
const SPECIAL = /["$`\\!%]/;

/**
 * Quotes a word for a shell. Double quotes work in POSIX shells and on Windows. Words with special
 * characters need single quotes, which Windows does not know.
 */
function word(text: string): string {
  if (PLAIN.test(text)) return text;
  return SPECIAL.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}

/** Quotes a value of a PostgreSQL connection string. */
function value(text: string): string {
  return /^[\w.@:+-]+$/.test(text)
    ? text
    : `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Commands that connect, by program. They omit the password, because the program asks for it. */
export function commandsFor({
  protocol,
  host,
  port,
  username,
  database,
  tls,
}: Issued): readonly { readonly name: string; readonly command: string }[] {
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
