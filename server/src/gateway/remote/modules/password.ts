import { remoteModule } from '../module.ts';
import { PASSWORD_SCRIPT, windowsAccount, windowsPassword } from '../windows/accounts.ts';
import { accountName, oneLine } from './checks.ts';
import { PASSWORDS } from './passwords.ts';

/** A password that an account has to have. */
export interface PasswordInput {
  readonly name: string;
  readonly password: string;
}

/**
 * Sets a password with `chpasswd`, or with `pw` on FreeBSD. A host that has perl can tell whether the account has this password already; on others it is set again, which is reported
 * as a change. The password never leaves standard input: `printf` is a part of the shell, `take` made sure of that.
 */
export const password = remoteModule<PasswordInput, undefined>({
  name: 'password',
  runsAs: 'root',
  answer: 'report',
  script: String.raw`
take; name=$v; take; secret=$v; go
${PASSWORDS}
passwords
account "$name" || broken remote_no_account "$name"
same=
stored
if [ -n "$hash" ] && command -v perl >/dev/null 2>&1; then
  printf "%s\n" "$hash" "$secret" | perl -e '$h = <STDIN>; $p = <STDIN>; chomp($h, $p); exit(crypt($p, $h) eq $h ? 0 : 1)' 2>/dev/null && same=1
fi
if [ -z "$same" ] && change password; then
  set_password "$secret" || broken remote_failed password
fi
echo done`,
  // PAM keeps 511 bytes of what is typed, crypt(3) as many.
  values: ({ name, password: secret }) => [
    accountName(name, 'name'),
    oneLine(secret, 'password', 255),
  ],
  result: () => undefined,
  windows: {
    script: PASSWORD_SCRIPT,
    values: ({ name, password: secret }) => [
      windowsAccount(name, 'name'),
      windowsPassword(secret, 'password'),
    ],
  },
});
