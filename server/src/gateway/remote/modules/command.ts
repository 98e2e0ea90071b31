import { remoteModule } from '../module.ts';
import { PROGRAM_SCRIPT } from '../windows/programs.ts';
import { anyText } from './checks.ts';

/** Bytes of a command or a script. */
const MOST_TEXT = 64 * 1024;

/** What a program at a host answered. */
export interface ProgramResult {
  readonly output: string;
  readonly errors: string;
  /** Undefined when a signal ended it. */
  readonly status: number | undefined;
  /** More came than is kept. */
  readonly isCut: boolean;
}

/**
 * Ends everything when the input ends: a run that is canceled, or a connection that is lost, leaves nothing behind. The process group is that of the
 * connection, so `kill 0` reaches what the command started.
 */
const WATCH = `
exec 3<&0 </dev/null
{ IFS= read -r v <&3; trap "" TERM; kill -TERM 0; } >/dev/null 2>&1 &
watch=$!
leave() { kill "$watch" 2>/dev/null; wait "$watch" 2>/dev/null; exit "$1"; }
`;

/** Runs a command line of a person in `/bin/sh`, or in PowerShell on Windows, as the account. A dry run runs nothing. */
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
  values: ({ command: text }) => [anyText(text, 'command', MOST_TEXT)],
  result: ({ output, errors, status, isCut }) => ({ output, errors, status, isCut }),
  windows: {
    script: PROGRAM_SCRIPT,
    values: ({ command: text }) => [anyText(text, 'command', MOST_TEXT)],
  },
});

/** Runs a script of a person as the account: by its first line where it has `#!`, in `/bin/sh` otherwise. Its file is removed afterwards. */
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
  values: ({ script: text }) => [anyText(text.replaceAll('\r\n', '\n'), 'script', MOST_TEXT)],
  result: ({ output, errors, status, isCut }) => ({ output, errors, status, isCut }),
  windows: {
    script: PROGRAM_SCRIPT,
    values: ({ script: text }) => [anyText(text, 'script', MOST_TEXT)],
  },
});
