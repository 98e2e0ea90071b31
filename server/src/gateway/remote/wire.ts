import type { RemoteModule } from './module.ts';

/** The account's shell runs our command. A server may run its own program instead of it. */
export const STARTED = 'sallyport:shell';
/** The host's shell is ready for the script. */
export const READY = 'sallyport:ready';
/** Prompt of `sudo`. */
export const SUDO_PROMPT = 'sallyport:password:';
/** Exit status of a script whose input ended early; it changed nothing. */
export const CUT_STATUS = 97;

/**
 * Shell code that waits for the script and runs it. One line without single quotes, backslashes
 * before quotes, or `!`: the login shells sh, bash, csh and fish all pass it unchanged. Constant:
 * neither script nor values are part of the command line.
 */
export const READ_AND_RUN = `s=; n=$(printf "\\nx"); n=\${n%x}; while IFS= read -r l; do case $l in "#end") eval "$s"; exit;; esac; s=$s$l$n; done; exit ${CUT_STATUS}`;
const BOOT = `echo ${READY}; ${READ_AND_RUN}`;

const START = `echo ${STARTED}; exec`;

/** Commands that start the shell as root. Constant. */
export const COMMANDS = {
  none: `exec /bin/sh -c '${BOOT}'`,
  // `-S` reads the password from standard input. It is sent only after the prompt, so that it can
  // never reach the script.
  sudo: `${START} sudo -S -p ${SUDO_PROMPT} -- /bin/sh -c '${BOOT}'`,
  su: `${START} su -s /bin/sh -c '${BOOT}' root`,
  // `su` of BSD has no such `-s`, and passes the arguments after the account to its shell.
  suOfBsd: `${START} su root -c '${BOOT}'`,
} as const;

/**
 * Prelude of every script: a fixed PATH, `take` (reads the next value into `v`), `go` (all values
 * have arrived, so changes may begin), and the report functions. `change WHAT` succeeds if the
 * change is to be made, so not in a dry run. `system` sets `kind`, the tools for accounts.
 */
const PRELUDE = `
take() { IFS= read -r v || exit ${CUT_STATUS}; v=$(printf "%bx" "$v"); v=\${v%x}; }
go() { IFS= read -r v && [ "$v" = "#go" ] || exit ${CUT_STATUS}; }
case $(command -v printf) in printf) ;; *) echo "refused remote_shell"; exit 0;; esac
take; check=$v
`;

const REPORT_PRELUDE = `
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; export PATH
LC_ALL=C; export LC_ALL
umask 077
refuse() { printf "refused %s\\n" "$*"; exit 0; }
broken() { printf "failed %s\\n" "$*"; exit 0; }
change() { printf "changed %s\\n" "$1"; [ "$check" = 0 ]; }
has() { command -v "$1" >/dev/null 2>&1; }
need() { has "$1" || refuse remote_tool "$1"; }
system() {
  s=$(uname -s 2>/dev/null)
  case $s in
    Linux) kind=shadow; has useradd || { has adduser && kind=busybox; } ;;
    FreeBSD|DragonFly) kind=freebsd ;;
    Darwin) kind=macos ;;
    *) refuse remote_system "$s" ;;
  esac
}
root() { [ "$(id -u)" = 0 ] || refuse remote_root; }
account() {
  entry=; home=; uid=; shell=; gid=; hash=
  if [ "$kind" = macos ]; then
    found=$(dscl . -read "/Users/$1" UniqueID PrimaryGroupID NFSHomeDirectory UserShell 2>/dev/null)
    while read -r word value; do
      case $word in
        UniqueID:) entry=1; uid=$value ;;
        PrimaryGroupID:) gid=$value ;;
        NFSHomeDirectory:) home=$value ;;
        UserShell:) shell=$value ;;
      esac
    done <<END
$found
END
  else
    while IFS=: read -r n p u g c h s; do
      [ "$n" = "$1" ] && { entry=1; hash=$p; uid=$u; gid=$g; home=$h; shell=$s; }
    done </etc/passwd
  fi
  [ -n "$entry" ]
}
`;

/** The payload for the shell's standard input: script, values as data, and the start word. */
export function payloadOf(
  module: Pick<RemoteModule<never, unknown>, 'script' | 'answer'>,
  values: readonly Buffer[],
  isCheck: boolean,
): Buffer {
  const script =
    `${PRELUDE}${module.answer === 'report' ? REPORT_PRELUDE : ''}${module.script}`.trim();
  const lines = [
    script,
    '#end',
    encodeValue(Buffer.from(isCheck ? '1' : '0')),
    ...values.map(encodeValue),
    '#go',
    '',
  ];
  return Buffer.from(lines.join('\n'));
}

const PLAIN = /^[A-Za-z0-9_./,:=@+-]$/;

/**
 * Encodes a value as one line: special characters become octal escapes for `printf %b` (POSIX,
 * section printf).
 */
export function encodeValue(value: Buffer): string {
  let line = '';
  for (const byte of value) {
    const character = String.fromCharCode(byte);
    line += PLAIN.test(character) ? character : `\\0${byte.toString(8).padStart(3, '0')}`;
  }
  return line;
}
