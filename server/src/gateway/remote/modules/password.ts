import { remoteModule } from '../module.ts';
import { PASSWORD_SCRIPT, windowsAccount, windowsPassword } from '../windows/accounts.ts';
import { accountName, oneLine, PASSWORDS } from './checks.ts';

export interface PasswordInput {
  readonly name: string;
  readonly password: string;
}

/**
 * Sets a password with `chpasswd`, or `pw` on FreeBSD. On hosts with perl, an unchanged password is
 * detected; on others it is set again and reported as a change. The password stays on standard
 * input: `take` made sure that `printf` is a shell builtin.
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
  // PAM and crypt(3) use at most 511 bytes.
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
