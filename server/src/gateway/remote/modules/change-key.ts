import { remoteModule } from '../module.ts';
import { windowsAccount } from '../windows/accounts.ts';
import { CHANGE_KEY_SCRIPT } from '../windows/keys.ts';
import { EDIT_KEYS, publicKey } from './authorized-key.ts';
import { accountName } from './checks.ts';

export interface ChangeKeyInput {
  readonly name: string;
  /** One line of OpenSSH: type, key, comment. */
  readonly key: string;
  /** The key to replace; '' if unknown. */
  readonly old: string;
}

/**
 * Adds a key next to the old one, then asks whether to keep it. `keep` removes the old key; any
 * other answer, or a lost connection, removes the new key. At least one of them is valid at any
 * time.
 */
export const changeKey = remoteModule<ChangeKeyInput, { readonly isUndone: boolean }>({
  name: 'change-key',
  runsAs: 'root',
  answer: 'report',
  script: String.raw`
take; name=$v; take; new=$v; take; old=$v; go
system
account "$name" || broken remote_no_account "$name"
${EDIT_KEYS}
# Prints the output of a failed edit and exits.
tried() { case $said in *done) ;; *) printf "%s\n" "$said"; exit 0;; esac; }
said=$(edit add "$new"); tried
added=
case $said in "changed key"*) added=1; echo "changed key";; esac
if [ "$check" = 0 ]; then
  trap "" HUP INT TERM PIPE
  echo asks
  answer=; IFS= read -r answer || answer=
  if [ "$answer" = keep ]; then
    [ -z "$old" ] || { said=$(edit remove "$old"); tried; }
  else
    [ -z "$added" ] || { said=$(edit remove "$new"); tried; }
    echo "fact undone"
  fi
fi
echo done`,
  values: ({ name, key, old }) => [
    accountName(name, 'name'),
    publicKey(key, 'key'),
    old === '' ? '' : publicKey(old, 'old'),
  ],
  result: ({ facts }) => ({ isUndone: facts.some(([name]) => name === 'undone') }),
  windows: {
    script: CHANGE_KEY_SCRIPT,
    values: ({ name, key, old }) => [
      windowsAccount(name, 'name'),
      publicKey(key, 'key'),
      old === '' ? '' : publicKey(old, 'old'),
    ],
  },
});
