import { remoteModule } from '../module.ts';
import { USER_SCRIPT, windowsAccount, windowsGroup } from '../windows/accounts.ts';
import { accountName, oneLine, plainPath } from './checks.ts';

/** The desired state of an account. Absent fields are left as they are. */
export interface UserInput {
  readonly name: string;
  readonly shell?: string;
  /** For a new account only: existing home folders are never moved. */
  readonly home?: string;
  /** Full name; for a new account only. */
  readonly comment?: string;
  /** Additional groups; the account also keeps its other groups. */
  readonly groups?: readonly string[];
}

/**
 * Creates an account with a group of its name and a private home folder. For an existing account it
 * corrects shell, folder and groups, and repairs an interrupted `useradd`. Rejects accounts of root
 * and of services.
 */
export const user = remoteModule<UserInput, undefined>({
  name: 'user',
  runsAs: 'root',
  answer: 'report',
  script: `
take; name=$v; take; wanted=$v; take; folder=$v; take; comment=$v; take; groups=$v; go
system; root
case $kind in
  shadow) need useradd; need usermod ;;
  busybox) need adduser; need addgroup ;;
  freebsd) need pw ;;
esac
if [ -n "$wanted" ] && ! [ -x "$wanted" ]; then broken remote_no_shell "$wanted"; fi
least=1000; [ "$kind" = macos ] && least=501
[ -r /etc/login.defs ] && while read -r word value rest; do
  [ "$word" = UID_MIN ] && least=$value
done </etc/login.defs
case $least in ''|*[!0-9]*) least=1000 ;; esac
has_line() { while IFS=: read -r n r; do [ "$n" = "$1" ] && return 0; done <"$2"; return 1; }
has_group() { has_line "$1" /etc/group; }
if ! account "$name"; then
  [ "$kind" != macos ] || refuse remote_macos
  if change user; then
    case $kind in
      busybox) set -- -D; folder_option=-h; comment_option=-g; group_option=-G ;;
      freebsd) set -- -m; folder_option=-d; comment_option=-c; group_option=-g ;;
      *) set -- -m; folder_option=-d; comment_option=-c; group_option=-g
        if has_group "$name"; then set -- "$@" -N; else set -- "$@" -U; fi ;;
    esac
    [ -n "$wanted" ] && set -- "$@" -s "$wanted"
    [ -n "$folder" ] && set -- "$@" "$folder_option" "$folder"
    [ -n "$comment" ] && set -- "$@" "$comment_option" "$comment"
    has_group "$name" && set -- "$@" "$group_option" "$name"
    case $kind in
      # busybox locks new accounts, and sshd then rejects their keys too. A star is no valid hash.
      busybox) adduser "$@" "$name" && printf "%s:*\\n" "$name" | chpasswd -e ;;
      freebsd) pw useradd -n "$name" "$@" ;;
      # Like busybox: without PAM, sshd rejects certificates and keys of locked accounts.
      *) useradd "$@" -p "*" -- "$name" ;;
    esac >&2 || broken remote_failed user
    account "$name" && chmod 700 "$home" || broken remote_failed user
  fi
elif [ "$uid" = 0 ]; then
  refuse remote_root_account "$name"
elif [ "$uid" -lt "$least" ] || [ "$uid" = 65534 ]; then
  refuse remote_system_account "$name"
elif [ -n "$wanted" ] && [ "$shell" != "$wanted" ]; then
  case $kind in busybox) refuse remote_tool usermod ;; macos) refuse remote_macos ;; esac
  if change shell; then
    if [ "$kind" = freebsd ]; then pw usermod -n "$name" -s "$wanted"
    else usermod -s "$wanted" -- "$name"; fi >&2 || broken remote_failed shell
  fi
fi
# An interrupted useradd leaves an account without its shadow line or without its group.
if [ -n "$entry" ] && [ "$kind" = shadow ]; then
  if [ "$hash" = x ] && [ -r /etc/shadow ] && ! has_line "$name" /etc/shadow && change shadow; then
    usermod -p "!" -- "$name" >&2 || broken remote_failed shadow
  fi
  if [ "$(id -gn "$name" 2>/dev/null)" = "$gid" ] && ! has_group "$name" && change group; then
    groupadd -g "$gid" -- "$name" >&2 || broken remote_failed group
  fi
fi
if [ -n "$entry" ] && [ "$home" != / ] && ! [ -L "$home" ]; then
  if ! [ -d "$home" ]; then
    if change home; then
      mkdir -m 700 -- "$home" && chown "$uid:$gid" "$home" || broken remote_failed mkdir
    fi
  else
    set -- $(ls -ldn -- "$home")
    case $1,$3 in drwx------*,"$uid") ;; *)
      if change home; then
        chown "$uid:$gid" "$home" && chmod 700 "$home" || broken remote_failed chmod
      fi ;;
    esac
  fi
fi
member=
[ -n "$entry" ] && member=" $(id -nG "$name") "
for g in $groups; do
  case $member in *" $g "*) ;; *)
    [ "$kind" != macos ] || refuse remote_macos
    has_group "$g" || broken remote_failed "group $g"
    if change "group:$g"; then
      case $kind in
        busybox) addgroup "$name" "$g" ;;
        freebsd) pw groupmod -n "$g" -m "$name" ;;
        *) usermod -aG "$g" -- "$name" ;;
      esac >&2 || broken remote_failed "group $g"
    fi ;;
  esac
done
echo done`,
  values: ({ name, shell, home, comment, groups = [] }) => [
    accountName(name, 'name'),
    shell ? plainPath(shell, 'shell') : '',
    home ? plainPath(home, 'home') : '',
    // A colon would begin the next field of the passwd line.
    comment ? oneLine(comment, 'comment', 128).replaceAll(':', ' ') : '',
    groups.map((group) => accountName(group, 'groups')).join(' '),
  ],
  result: () => undefined,
  windows: {
    script: USER_SCRIPT,
    values: ({ name, shell = '', home = '', comment = '', groups = [] }) => [
      windowsAccount(name, 'name'),
      // Windows has neither; the script only needs to know if they are set.
      shell && plainPath(shell, 'shell') && 'yes',
      home && plainPath(home, 'home') && 'yes',
      comment && oneLine(comment, 'comment', 128),
      groups.map((group) => windowsGroup(group, 'groups')).join('\n'),
    ],
  },
});
