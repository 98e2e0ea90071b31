import { invalid } from '../../../platform/errors.ts';
import { remoteModule } from '../module.ts';
import { EDIT_KEYS } from './authorized-key.ts';
import { accountName } from './checks.ts';

/** Authorities whose certificates sign in to an account. */
export interface AuthoritiesInput {
  readonly name: string;
  /** The comment of all lines. Other lines with this comment are removed. */
  readonly owner: string;
  /** Lines of `authorized_keys` with the option `cert-authority` (sshd(8)). */
  readonly lines: readonly string[];
}

const LINE =
  /^cert-authority(?:,principals="(?:[^"\\\p{C}]|\\(?!"))+")? ssh-ed25519 [A-Za-z0-9+/]{16,200}={0,2} (sallyport:[0-9a-f-]{36})$/u;
const MAX_LINES = 20;

/**
 * Makes sshd accept certificates of authorities for one account, and of those only. The lines of
 * others, and keys, stay.
 */
export const authorities = remoteModule<AuthoritiesInput, undefined>({
  name: 'authorities',
  runsAs: 'root',
  answer: 'report',
  script: `
take; name=$v; take; owner=$v; take; lines=$v; go
system
account "$name" || broken remote_no_account "$name"
${EDIT_KEYS}
edit authorities "$owner" "$lines"`,
  values: ({ name, owner, lines }) => {
    if (lines.length > MAX_LINES || lines.some((line) => LINE.exec(line)?.[1] !== owner))
      throw invalid('lines', 'not_public_key');
    return [accountName(name, 'name'), owner, lines.join('\n')];
  },
  result: () => undefined,
  windows: { refused: 'remote_windows_certificates' },
});
