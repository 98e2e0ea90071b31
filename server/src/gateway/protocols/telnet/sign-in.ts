import { stripVTControlCharacters } from 'node:util';

/** Characters of recent output; a prompt is at its end. */
const MAX_SEEN = 2048;

const USERNAME_PROMPT = /(?:login|user ?name|user|name|用户名|账号)[ \t]*[:：>]?[ \t]*$/i;
const PASSWORD_PROMPT = /(?:password|passwd|passcode|密码|口令)[^\r\n]{0,40}[:：]?[ \t]*$/i;
const FAILED = /incorrect|failed|failure|invalid|denied|rejected|失败|错误/i;
/** Reports about earlier attempts are no failure of this one. */
const EARLIER_FAILURES = /last failed|failed login attempts?|since the last successful/i;
const SIGNED_IN = /last login|success|成功/i;
const SHELL_PROMPT = /[#>$%\]][ \t]*$/;

export interface SignInAccount {
  readonly username: string;
  readonly password: string;
  /** Detects a successful sign-in in the output after the password; defaults to common phrases. */
  readonly isSignedIn?: (output: string) => boolean;
}

/** The next action after a piece of output. */
export type SignInStep =
  | { readonly kind: 'wait' }
  | { readonly kind: 'answer'; readonly line: string }
  | { readonly kind: 'signed-in' }
  | { readonly kind: 'rejected' };

const WAIT: SignInStep = { kind: 'wait' };

/**
 * Answers the prompts of a telnet server. Telnet has no authentication: servers print prompts and
 * read lines. The password is sent once, and only to a password prompt.
 */
export class SignIn {
  readonly #account: SignInAccount;
  #sent: 'nothing' | 'username' | 'password' = 'nothing';
  #seen = '';

  constructor(account: SignInAccount) {
    this.#account = account;
  }

  /** True once the password was sent. */
  get isPasswordSent(): boolean {
    return this.#sent === 'password';
  }

  /** True if the output after the password is no clear verdict. */
  get isUnclear(): boolean {
    return this.isPasswordSent && stripVTControlCharacters(this.#seen).trim() !== '';
  }

  /** Feeds output text and returns the next action. */
  read(text: string): SignInStep {
    this.#seen = (this.#seen + text).slice(-MAX_SEEN);
    const seen = stripVTControlCharacters(this.#seen);
    return this.#sent === 'password' ? this.#verdict(seen) : this.#prompt(seen);
  }

  #prompt(seen: string): SignInStep {
    if (PASSWORD_PROMPT.test(lastLine(seen)))
      return this.#answer('password', this.#account.password);
    if (!USERNAME_PROMPT.test(lastLine(seen))) return WAIT;
    // The same prompt without a password prompt: the server rejected the username.
    return this.#sent === 'username'
      ? { kind: 'rejected' }
      : this.#answer('username', this.#account.username);
  }

  #verdict(seen: string): SignInStep {
    const { isSignedIn } = this.#account;
    if (isSignedIn ? isSignedIn(seen) : SIGNED_IN.test(seen)) return { kind: 'signed-in' };
    const lines = seen.split(/[\r\n]/).map((line) => (EARLIER_FAILURES.test(line) ? '' : line));
    const current = lines.join('\n');
    const last = lastLine(current);
    if (FAILED.test(current) || PASSWORD_PROMPT.test(last) || USERNAME_PROMPT.test(last))
      return { kind: 'rejected' };
    return !isSignedIn && SHELL_PROMPT.test(last) ? { kind: 'signed-in' } : WAIT;
  }

  #answer(sent: 'username' | 'password', line: string): SignInStep {
    this.#sent = sent;
    this.#seen = '';
    return { kind: 'answer', line };
  }
}

function lastLine(text: string): string {
  return text.slice(Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
}
