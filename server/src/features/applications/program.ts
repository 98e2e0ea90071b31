import { remoteAppParams } from '@sallyport/contract';

/** What a remote app is started with; the password among its parameters is no part of it. */
export interface DeclaredProgram {
  readonly type: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * The most characters of a command line and of a folder: 512 bytes with the end of the text
 * (MS-RDPBCGR 2.2.1.11.1.1).
 */
const MOST_CHARACTERS = 255;

/** A path of a Linux server; others are of Windows. */
const isPosix = (path: string) => path.startsWith('/');

/**
 * One word of a command line on Windows, as programs read theirs (CommandLineToArgvW): a backslash
 * counts only before a quote.
 */
function windowsWord(text: string): string {
  if (/^[^\s"]+$/.test(text)) return text;
  return `"${text.replace(/(\\*)(?="|$)/g, '$1$1').replaceAll('"', '\\"')}"`;
}

/** One word for a shell, in which nothing has a meaning. */
const shellWord = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/**
 * What the program gets: of each type what it understands. An account is left out where the program
 * has no argument for it.
 */
function wordsOf({ type, params }: DeclaredProgram): readonly string[] {
  const given = (name: string, ...words: readonly string[]) => (params[name] ? words : []);
  if (type === 'chrome') return given('chrome_target', params.chrome_target ?? '');
  if (type === 'mysql_workbench') {
    const { mysql_workbench_username: user = '', mysql_workbench_ip: host = '' } = params;
    return given('mysql_workbench_ip', '--query', user ? `${user}@${host}` : host);
  }
  if (type === 'vmware_client')
    return [
      ...given('vmware_target', '-s', params.vmware_target ?? ''),
      ...given('vmware_username', '-u', params.vmware_username ?? ''),
    ];
  return remoteAppParams(type).flatMap((name) =>
    name === 'custom_cmdline' || name.endsWith('_password') ? [] : params[name] || [],
  );
}

/**
 * The command line that starts a remote app in place of the desktop: the path and the parameters of
 * its declaration, each one word whatever is in it. The command line of a custom program is taken
 * as it was declared.
 */
export function programOf(app: DeclaredProgram): string {
  const posix = isPosix(app.path);
  const word = posix ? shellWord : windowsWord;
  const line = [
    posix ? shellWord(app.path) : `"${app.path}"`,
    ...(app.params.custom_cmdline ? [app.params.custom_cmdline] : []),
    ...wordsOf(app).map(word),
  ].join(' ');
  // xrdp gives a line with spaces to a shell, which then becomes the program.
  return posix ? `exec ${line}` : line;
}

/** The folder in which a program begins: its own on Windows, the home of the account elsewhere. */
export function folderOf({ path }: DeclaredProgram): string {
  return isPosix(path)
    ? ''
    : path.slice(0, Math.max(0, path.lastIndexOf('\\'))).replace(/^[a-z]:$/i, '$&\\');
}

/** Whether the protocol can carry it. */
export function isStartable(app: DeclaredProgram): boolean {
  const program = programOf(app);
  return (
    program.length <= MOST_CHARACTERS &&
    !/\p{Cc}/u.test(program) &&
    !(app.path.includes('"') && !isPosix(app.path))
  );
}
