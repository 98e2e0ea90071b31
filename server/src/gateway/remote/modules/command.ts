import { remoteModule } from '../module.ts';
import { PROGRAM_SCRIPT } from '../windows/programs.ts';
import { anyText } from './checks.ts';

/** Maximum length of a command or script, in bytes. */
const MAX_TEXT = 64 * 1024;

export interface ProgramResult {
  readonly output: string;
  readonly errors: string;
  /** Undefined if a signal ended the program. */
  readonly status: number | undefined;
  /** True if output was cut. */
  readonly isCut: boolean;
}

/**
 * Kills the whole process group when standard input ends: a canceled run or lost connection leaves
 * no process. The group is that of the connection, so `kill 0` reaches all children of the command.
 */
const WATCH = `
exec 3<&0 </dev/null
{ IFS= read -r v <&3; trap "" TERM; kill -TERM 0; } >/dev/null 2>&1 &
watch=$!
leave() { kill "$watch" 2>/dev/null; wait "$watch" 2>/dev/null; exit "$1"; }
`;

/**
 * Runs a user's command line in `/bin/sh` (PowerShell on Windows) as the account. A dry run runs
 * nothing.
 */
export const command = remoteModule<{ readonly command: string }, ProgramResult>({
  name: 'command',
  runsAs: 'account',
  answer: 'output',
  script: `
take; text=$v; go
[ "$check" = 0 ] || exit 0
${WATCH}
( exec 3<&-; eval "$text" )
leave $?`,
  values: ({ command: text }) => [anyText(text, 'command', MAX_TEXT)],
  result: ({ output, errors, status, isCut }) => ({ output, errors, status, isCut }),
  windows: {
    script: PROGRAM_SCRIPT,
    values: ({ command: text }) => [anyText(text, 'command', MAX_TEXT)],
  },
});

/**
 * Runs a user's script as the account: by its `#!` line, or in `/bin/sh`. The file is removed
 * afterwards.
 */
export const script = remoteModule<{ readonly script: string }, ProgramResult>({
  name: 'script',
  runsAs: 'account',
  answer: 'output',
  script: `
take; text=$v; go
[ "$check" = 0 ] || exit 0
mask=$(umask); umask 077
file=$(mktemp) || exit 126
trap 'rm -f "$file"' EXIT
printf %s "$text" >"$file" && chmod 700 "$file" || exit 126
umask "$mask"
${WATCH.replace('trap "" TERM; ', 'trap "" TERM; rm -f "$file"; ')}
case $text in
  "#!"*) ( exec 3<&-; "$file" ) ;;
  *) ( exec 3<&-; /bin/sh "$file" ) ;;
esac
leave $?`,
  values: ({ script: text }) => [anyText(text.replaceAll('\r\n', '\n'), 'script', MAX_TEXT)],
  result: ({ output, errors, status, isCut }) => ({ output, errors, status, isCut }),
  windows: {
    script: PROGRAM_SCRIPT,
    values: ({ script: text }) => [anyText(text, 'script', MAX_TEXT)],
  },
});
