import { invalid } from '../../../platform/errors.ts';
import { remoteModule } from '../module.ts';
import { accountName } from './checks.ts';

/** A public key of an account. */
export interface AuthorizedKeyInput {
  readonly name: string;
  /** One line of OpenSSH: type, key, comment; without options. */
  readonly key: string;
  /** `add`: is one of the keys. `only`: is the only one. `remove`: is none of them. */
  readonly mode: 'add' | 'only' | 'remove';
}

const KEY = /^(?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]{1,60} [A-Za-z0-9+/]{16,16384}={0,2}(?: \P{Cc}{0,255})?$/u;

/**
 * Writes the account's `authorized_keys`. The part that touches its files runs as the account itself: root would follow links that the account makes.
 * The new file takes the place of the old one in one step.
 */
export const authorizedKey = remoteModule<AuthorizedKeyInput, undefined>({
  name: 'authorized-key',
  runsAs: 'root',
  answer: 'report',
  script: String.raw`
take; name=$v; take; key=$v; take; mode=$v; go
linux
account "$name" || broken remote_no_account "$name"
inner='
  umask 077
  IFS= read -r check; IFS= read -r home; IFS= read -r mode; IFS= read -r key; IFS= read -r go
  [ "$go" = "#go" ] || exit 97
  nl="
"
  cd "$home" 2>/dev/null || { echo "failed remote_failed home"; exit 0; }
  file=.ssh/authorized_keys
  type=; blob=
  for word in $key; do if [ -z "$type" ]; then type=$word; elif [ -z "$blob" ]; then blob=$word; fi; done
  old=; new=; found=
  if [ -f "$file" ]; then
    while IFS= read -r line || [ -n "$line" ]; do
      old=$old$line$nl
      case " $line " in
        *" $blob "*) found=1; [ "$mode" = remove ] || new=$new$line$nl ;;
        *) case $mode,$line in only,"#"*|add,*|remove,*) new=$new$line$nl ;; esac ;;
      esac
    done <"$file"
  fi
  [ "$mode" = remove ] || [ -n "$found" ] || new=$new$key$nl
  if [ "$old" != "$new" ]; then
    echo "changed key"
    if [ "$check" = 0 ]; then
      { [ -d .ssh ] || mkdir -m 700 .ssh; } && printf %s "$new" >.ssh/.sallyport.$$ && mv -f .ssh/.sallyport.$$ "$file" || {
        rm -f .ssh/.sallyport.$$; echo "failed remote_failed authorized_keys"; exit 0; }
    fi
  fi
  echo done'
feed() { printf "%s\n" "$check" "$home" "$mode" "$key" "#go"; }
if [ "$(id -u)" = "$uid" ]; then feed | /bin/sh -c "$inner"
else
  root; need su
  feed | su -s /bin/sh -c "$inner" "$name"
fi`,
  values: ({ name, key, mode }) => {
    if (!KEY.test(key)) throw invalid('key', 'not_public_key');
    return [accountName(name, 'name'), key, mode];
  },
  result: () => undefined,
});
