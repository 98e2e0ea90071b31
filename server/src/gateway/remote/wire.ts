import type { RemoteModule } from './module.ts';

/** The host says that its shell waits for the script. */
export const READY = 'sallyport:ready';
/** What `sudo` asks with. */
export const SUDO_PROMPT = 'sallyport:password:';
/** The status of a script whose input ended too early; nothing was done. */
export const CUT_STATUS = 97;

/**
 * Waits for the script and runs it. One line without single quotes, backslashes before quotes, or `!`, so that the login shells sh, bash, csh and fish all
 * pass it on unchanged. Constant: neither the script nor a value is part of a command line.
 */
export const READ_AND_RUN = `s=; n=$(printf "\\nx"); n=\${n%x}; while IFS= read -r l; do case $l in "#end") eval "$s"; exit;; esac; s=$s$l$n; done; exit ${CUT_STATUS}`;
const BOOT = `echo ${READY}; ${READ_AND_RUN}`;

/** How an account becomes root. Constant texts. */
export const COMMANDS = {
  none: `exec /bin/sh -c '${BOOT}'`,
  // -S reads the password from the input; it is sent only when the prompt comes, so a rule without a password leaves nothing over.
  sudo: `exec sudo -S -p ${SUDO_PROMPT} -- /bin/sh -c '${BOOT}'`,
  su: `exec su -s /bin/sh -c '${BOOT}' root`,
  // There -s means something else, and what follows the account goes to its shell.
  suOfBsd: `exec su root -c '${BOOT}'`,
} as const;

/**
 * What every script begins with: a known path, `take` (the next value, in `v`), `go` (all values have come: only now something may be done), and
 * the words of a report. `change WHAT` is true when it has to be done and this is no dry run. `system` sets `kind`: what makes accounts there.
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
      case $word in UniqueID:) entry=1; uid=$value ;; PrimaryGroupID:) gid=$value ;; NFSHomeDirectory:) home=$value ;; UserShell:) shell=$value ;; esac
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

/** Everything that goes to the input of a host's shell once it is ready: the script, its values as data, and the word to begin. */
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

/** A value as one line: every byte that could mean something to a shell is a number, as `printf %b` reads it (POSIX, section printf). */
export function encodeValue(value: Buffer): string {
  let line = '';
  for (const byte of value) {
    const character = String.fromCharCode(byte);
    line += PLAIN.test(character) ? character : `\\0${byte.toString(8).padStart(3, '0')}`;
  }
  return line;
}
