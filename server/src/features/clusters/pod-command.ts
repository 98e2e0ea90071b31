import { readSwitch, UnclearRequest } from './kube-path.ts';
import type { KubeRequest } from './kube-request.ts';

/** A command of `exec`, or what `attach` enters, as its address names it. */
export interface PodCommandRequest {
  readonly choice: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
    readonly tty: boolean;
  };
  /** The words as a line that a POSIX shell would read as the same words; undefined to attach. */
  readonly line: string | undefined;
  /** True for a shell at a terminal, whose lines the session judges as they are typed. */
  readonly isShell: boolean;
}

const SHELL = /^(?:\/[\w./-]*\/)?(?:ash|bash|dash|fish|ksh|sh|zsh)$/;
const SHELL_FLAG = /^-{1,2}(?:[il]+|login|interactive)$/;
const PLAIN = /^[\w@%+=:,./-]+$/;
const quote = (word: string) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Returns the command of an `exec` or `attach`. @throws UnclearRequest */
export function readPodCommand({ query, subresource }: KubeRequest): PodCommandRequest {
  const [stdin, stdout, stderr, tty] = (['stdin', 'stdout', 'stderr', 'tty'] as const).map((name) =>
    readSwitch(query, name),
  ) as [boolean, boolean, boolean, boolean];
  if (!stdin && !stdout && !stderr)
    throw new UnclearRequest('The address names neither input nor output.');
  const choice = { stdin, stdout, stderr, tty };
  if (subresource === 'attach') return { choice, line: undefined, isShell: true };
  const words = query.getAll('command');
  if (words.length === 0) throw new UnclearRequest('The address names no command.');
  const [program = '', ...flags] = words;
  const isShell = tty && SHELL.test(program) && flags.every((flag) => SHELL_FLAG.test(flag));
  return { choice, line: words.map(quote).join(' '), isShell };
}
