import { type CommandLine, shellText } from './shell-text.ts';

/** Address, port and login name for an SSH client. */
export interface SshPlace {
  readonly host: string;
  readonly port: number;
  readonly login: string;
}

/** Options of OpenSSH that take the next word as their value, by program. */
const WITH_VALUE = {
  ssh: /[BbcDEeFIiJLlmOoPpQRSWw]/,
  scp: /[cDFiJlMoPSX]/,
} as const;

/**
 * Splits words into the options at their beginning and the operands, as getopt does. A hyphen and a
 * hyphen ends the options and is left out.
 */
function splitOptions(program: keyof typeof WITH_VALUE, words: readonly string[]) {
  let count = 0;
  for (let word = words[count]; word?.startsWith('-') && word !== '-'; word = words[count]) {
    if (word === '--') return { options: words.slice(0, count), operands: words.slice(count + 1) };
    const at = word.slice(1).search(WITH_VALUE[program]);
    // The value is the rest of the word, or else the next word.
    count += at === word.length - 2 ? 2 : 1;
  }
  return { options: words.slice(0, count), operands: words.slice(count) };
}

const settingWords = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);

/**
 * ssh with settings, the user's own options, and a command. The first value of an option wins, so
 * the user's options turn off no setting. The host follows `--`.
 */
export function sshCommand(
  { host, port, login }: SshPlace,
  settings: Readonly<Record<string, string>>,
  words: readonly string[],
): CommandLine {
  const { options, operands } = splitOptions('ssh', words);
  const own = [...settingWords(settings), '-p', String(port), '-l', login];
  return { program: 'ssh', args: [...own, ...options, '--', host, ...operands] };
}

/**
 * scp with settings, the user's own options, and files. `place` returns the operand of a file. The
 * files follow `--`.
 */
export function scpCommand(
  { port, login }: SshPlace,
  settings: Readonly<Record<string, string>>,
  words: readonly string[],
  operandOf: (file: string) => string,
): CommandLine {
  const { options, operands } = splitOptions('scp', words);
  const own = [...settingWords({ User: login, ...settings }), '-P', String(port)];
  return { program: 'scp', args: [...own, ...options, '--', ...operands.map(operandOf)] };
}

/** A host in an address or before the path of a file: IPv6 needs brackets. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/**
 * Returns an `ssh://` address (draft-ietf-secsh-scp-sftp-ssh-uri). The login becomes one word
 * without characters that a shell interprets.
 */
export function sshAddress({ host, port, login }: SshPlace): string {
  const user = encodeURIComponent(login).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `ssh://${user}@${bracketed(host)}${port === 22 ? '' : `:${port}`}`;
}

/** Returns the command that connects, to paste into any shell. */
export function sshText(place: SshPlace): string {
  const destination = `${place.login}@${place.host}`;
  const args = [...(place.port === 22 ? [] : ['-p', String(place.port)]), destination];
  const text = destination.startsWith('-') ? undefined : shellText({ program: 'ssh', args });
  return text ?? `ssh "${sshAddress(place)}"`;
}
