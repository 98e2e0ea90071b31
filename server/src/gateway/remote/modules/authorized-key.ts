import { invalid } from '../../../platform/errors.ts';
import { remoteModule } from '../module.ts';
import { windowsAccount } from '../windows/accounts.ts';
import { AUTHORIZED_KEY_SCRIPT } from '../windows/keys.ts';
import { READ_AND_RUN } from '../wire.ts';
import { accountName } from './checks.ts';

export interface AuthorizedKeyInput {
  readonly name: string;
  /** One line of OpenSSH: type, key, comment; without options. */
  readonly key: string;
  /** `add`: adds the key. `only`: replaces all other keys. `remove`: removes the key. */
  readonly mode: 'add' | 'only' | 'remove';
}

/** A public key as one line of OpenSSH, without options. */
const KEY =
  /^(?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]{1,60} [A-Za-z0-9+/]{16,16384}={0,2}(?: \P{Cc}{0,255})?$/u;

/**
 * Shell function `edit MODE KEY`: changes the `authorized_keys` of the account that `account` has
 * found, and reports it. `edit authorities OWNER LINES` makes LINES the only lines that end with
 * OWNER. It touches the files as the account itself, because root would follow
 * links that the account created. The new file replaces the old one atomically. A temporary file of
 * a killed run is removed by the next run.
 */
export const EDIT_KEYS = String.raw`
inner='
  umask 077
  IFS= read -r check; IFS= read -r home; IFS= read -r mode; IFS= read -r key
  nl="
"
  lines=$nl
  while IFS= read -r line && [ "$line" != "#go" ]; do lines=$lines$line$nl; done
  [ "$line" = "#go" ] || exit 97
  cd "$home" 2>/dev/null || { echo "failed remote_failed home"; exit 0; }
  file=.ssh/authorized_keys
  [ "$check" = 1 ] || for left in .ssh/.sallyport.*; do
    pid=${'$'}{left##*.}
    [ -f "$left" ] && ! [ -d "/proc/$pid" ] && ! ps -p "$pid" >/dev/null 2>&1 && rm -f "$left"
  done
  type=; blob=
  for word in $key; do
    if [ -z "$type" ]; then type=$word; elif [ -z "$blob" ]; then blob=$word; fi
  done
  old=; new=; found=
  if [ -f "$file" ]; then
    while IFS= read -r line || [ -n "$line" ]; do
      old=$old$line$nl
      if [ "$mode" = authorities ]; then
        case $line in
          *" $key") case $lines in *"$nl$line$nl"*) new=$new$line$nl ;; esac ;;
          *) new=$new$line$nl ;;
        esac
        continue
      fi
      case " $line " in
        *" $blob "*) found=1; [ "$mode" = remove ] || new=$new$line$nl ;;
        *) case $mode,$line in only,"#"*|add,*|remove,*) new=$new$line$nl ;; esac ;;
      esac
    done <"$file"
  fi
  what=key
  if [ "$mode" = authorities ]; then
    what=authority
    while IFS= read -r line; do
      case $line,$nl$new in ,*|*,*"$nl$line$nl"*) ;; *) new=$new$line$nl ;; esac
    done <<END
$lines
END
  else
    [ "$mode" = remove ] || [ -n "$found" ] || new=$new$key$nl
  fi
  if [ "$old" != "$new" ]; then
    echo "changed $what"
    if [ "$check" = 0 ]; then
      { [ -d .ssh ] || mkdir -m 700 .ssh; } && printf %s "$new" >.ssh/.sallyport.$$ &&
        mv -f .ssh/.sallyport.$$ "$file" || {
        rm -f .ssh/.sallyport.$$; echo "failed remote_failed authorized_keys"; exit 0; }
    fi
  fi
  echo done'
feed() { printf "%s\n" "$check" "$home" "$@" "#go"; }
edit() {
  if [ "$(id -u)" = "$uid" ]; then feed "$@" | /bin/sh -c "$inner"
  else
    root; need su
    case $kind in
      freebsd|macos)
        # Here su passes its command to the login shell of the account, which may be csh.
        # So pass one plain line, and the script on standard input.
        IFS= read -r boot <<"#boot"
exec /bin/sh -c '${READ_AND_RUN}'
#boot
        { printf "%s\n#end\n" "$inner"; feed "$@"; } | su "$name" -c "$boot" ;;
      *) feed "$@" | su -s /bin/sh -c "$inner" "$name" ;;
    esac
  fi
}`;

/** Validates a public key. @throws Invalid */
export function publicKey(key: string, field: string): string {
  if (!KEY.test(key)) throw invalid(field, 'not_public_key');
  return key;
}

export const authorizedKey = remoteModule<AuthorizedKeyInput, undefined>({
  name: 'authorized-key',
  runsAs: 'root',
  answer: 'report',
  script: `
take; name=$v; take; key=$v; take; mode=$v; go
system
account "$name" || broken remote_no_account "$name"
${EDIT_KEYS}
edit "$mode" "$key"`,
  values: ({ name, key, mode }) => [accountName(name, 'name'), publicKey(key, 'key'), mode],
  result: () => undefined,
  windows: {
    script: AUTHORIZED_KEY_SCRIPT,
    values: ({ name, key, mode }) => [windowsAccount(name, 'name'), publicKey(key, 'key'), mode],
  },
});
