import { posixWord, remoteAppParams } from '@sallyport/contract';

/** The declaration that starts a remote app, without its password. */
export interface DeclaredProgram {
  readonly type: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Maximum length of a command line and of a folder: 512 bytes with the terminator (MS-RDPBCGR
 * 2.2.1.11.1.1).
 */
const MOST_CHARACTERS = 255;

/** Linux paths start with a slash; others are Windows paths. */
const isPosix = (path: string) => path.startsWith('/');

/**
 * Quotes a word for a Windows command line as CommandLineToArgvW parses it: backslashes are special
 * only before a quote.
 */
function windowsWord(text: string): string {
  if (/^[^\s"]+$/.test(text)) return text;
  return `"${text.replace(/(\\*)(?="|$)/g, '$1$1').replaceAll('"', '\\"')}"`;
}

/**
 * Arguments of the program by type. An account is omitted if the program has no argument for it.
 */
function wordsOf({ type, params }: DeclaredProgram): readonly string[] {
  const argumentsIf = (name: string, ...words: readonly string[]) => (params[name] ? words : []);
  if (type === 'chrome') return argumentsIf('chrome_target', params.chrome_target ?? '');
  if (type === 'mysql_workbench') {
    const { mysql_workbench_username: user = '', mysql_workbench_ip: host = '' } = params;
    return argumentsIf('mysql_workbench_ip', '--query', user ? `${user}@${host}` : host);
  }
  if (type === 'vmware_client')
    return [
      ...argumentsIf('vmware_target', '-s', params.vmware_target ?? ''),
      ...argumentsIf('vmware_username', '-u', params.vmware_username ?? ''),
    ];
  return remoteAppParams(type).flatMap((name) =>
    name === 'custom_cmdline' || name.endsWith('_password') ? [] : params[name] || [],
  );
}

/**
 * Returns the command line that starts a remote app instead of the desktop. Path and parameters are
 * quoted as one word each; the command line of a custom program is used as declared.
 */
export function programOf(app: DeclaredProgram): string {
  const posix = isPosix(app.path);
  const word = posix ? posixWord : windowsWord;
  const line = [
    posix ? posixWord(app.path) : `"${app.path}"`,
    ...(app.params.custom_cmdline ? [app.params.custom_cmdline] : []),
    ...wordsOf(app).map(word),
  ].join(' ');
  // xrdp passes a line with spaces to a shell, which `exec` replaces.
  return posix ? `exec ${line}` : line;
}

/** Working directory of a program: its own folder on Windows, otherwise '' for the home folder. */
export function folderOf({ path }: DeclaredProgram): string {
  return isPosix(path)
    ? ''
    : path.slice(0, Math.max(0, path.lastIndexOf('\\'))).replace(/^[a-z]:$/i, '$&\\');
}

/** Returns true if the protocol can carry the command line. */
export function isStartable(app: DeclaredProgram): boolean {
  const program = programOf(app);
  return (
    program.length <= MOST_CHARACTERS &&
    !/\p{Cc}/u.test(program) &&
    !(app.path.includes('"') && !isPosix(app.path))
  );
}
