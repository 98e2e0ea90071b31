import { remoteModule } from '../module.ts';
import { CHANGE_PASSWORD_SCRIPT, windowsAccount, windowsPassword } from '../windows/accounts.ts';
import { accountName, oneLine, PASSWORDS } from './checks.ts';

export interface ChangePasswordInput {
  readonly name: string;
  readonly password: string;
  /** The current password, if known. Only Windows needs it for undoing. */
  readonly old?: string | undefined;
}

/**
 * Sets a password, then asks whether to keep it. Any answer but `keep`, or a lost connection,
 * restores the hash of the old password, which never leaves the server. A change by other users in
 * between stays.
 */
export const changePassword = remoteModule<ChangePasswordInput, { readonly isUndone: boolean }>({
  name: 'change-password',
  runsAs: 'root',
  answer: 'report',
  script: `
take; name=$v; take; secret=$v; go
${PASSWORDS}
passwords
account "$name" || broken remote_no_account "$name"
stored || broken remote_failed shadow
old=$hash
undo() {
  stored
  [ "$hash" = "$set" ] || return 0
  set_hash "$old" && stored && [ "$hash" = "$old" ]
}
if change password; then
  set=
  trap "" HUP INT TERM PIPE
  set_password "$secret" || broken remote_failed password
  stored; set=$hash
  echo asks
  answer=; IFS= read -r answer || answer=
  if [ "$answer" != keep ]; then
    undo || broken remote_undo "$name"
    echo "fact undone"
  fi
fi
echo done`,
  // PAM and crypt(3) use at most 511 bytes.
  values: ({ name, password }) => [accountName(name, 'name'), oneLine(password, 'password', 255)],
  result: ({ facts }) => ({ isUndone: facts.some(([name]) => name === 'undone') }),
  windows: {
    script: CHANGE_PASSWORD_SCRIPT,
    values: ({ name, password, old = '' }) => [
      windowsAccount(name, 'name'),
      windowsPassword(password, 'password'),
      old,
    ],
  },
});
