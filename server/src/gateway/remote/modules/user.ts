import { remoteModule } from '../module.ts';
import { accountName, oneLine, plainPath } from './checks.ts';

/** An account that has to be there. What is absent is left to the host, or as it is. */
export interface UserInput {
  readonly name: string;
  readonly shell?: string;
  /** Of a new account. That of an account that is there is never moved. */
  readonly home?: string;
  /** Of a new account: its full name. */
  readonly comment?: string;
  /** Further groups; the account is added to them and stays in others. */
  readonly groups?: readonly string[];
}

/** Makes an account with a group of its name and a home folder that only it reads; corrects the shell, the folder and the groups of one that is there. */
export const user = remoteModule<UserInput, undefined>({
  name: 'user',
  runsAs: 'root',
  answer: 'report',
  script: `
take; name=$v; take; wanted=$v; take; folder=$v; take; comment=$v; take; groups=$v; go
linux; root; need useradd; need usermod
if [ -n "$wanted" ] && ! [ -x "$wanted" ]; then broken remote_no_shell "$wanted"; fi
if ! account "$name"; then
  if change user; then
    set --
    [ -n "$wanted" ] && set -- "$@" -s "$wanted"
    [ -n "$folder" ] && set -- "$@" -d "$folder"
    [ -n "$comment" ] && set -- "$@" -c "$comment"
    own=-U
    while IFS=: read -r n p g m; do [ "$n" = "$name" ] && own=-N; done </etc/group
    [ "$own" = -N ] && set -- "$@" -g "$name"
    useradd -m "$own" "$@" -- "$name" >&2 || broken remote_failed useradd
    account "$name" && chmod 700 "$home" || broken remote_failed useradd
  fi
elif [ "$uid" = 0 ]; then
  refuse remote_root_account "$name"
elif [ -n "$wanted" ] && [ "$shell" != "$wanted" ]; then
  if change shell; then usermod -s "$wanted" -- "$name" >&2 || broken remote_failed usermod; fi
fi
if [ -n "$entry" ] && [ "$home" != / ] && ! [ -L "$home" ]; then
  if ! [ -d "$home" ]; then
    if change home; then
      mkdir -m 700 -- "$home" && chown "$uid:$gid" "$home" || broken remote_failed mkdir
    fi
  else
    set -- $(ls -ldn -- "$home")
    case $1,$3 in drwx------*,"$uid") ;; *)
      if change home; then chown "$uid:$gid" "$home" && chmod 700 "$home" || broken remote_failed chmod; fi ;;
    esac
  fi
fi
has=
[ -n "$entry" ] && has=" $(id -nG "$name") "
for g in $groups; do
  case $has in *" $g "*) ;; *)
    found=
    while IFS=: read -r n p i m; do [ "$n" = "$g" ] && found=1; done </etc/group
    [ -n "$found" ] || broken remote_failed "group $g"
    if change "group:$g"; then usermod -aG "$g" -- "$name" >&2 || broken remote_failed usermod; fi ;;
  esac
done
echo done`,
  values: ({ name, shell, home, comment, groups = [] }) => [
    accountName(name, 'name'),
    shell ? plainPath(shell, 'shell') : '',
    home ? plainPath(home, 'home') : '',
    // A colon would begin the next field of the account's line.
    comment ? oneLine(comment, 'comment', 128).replaceAll(':', ' ') : '',
    groups.map((group) => accountName(group, 'groups')).join(' '),
  ],
  result: () => undefined,
});
