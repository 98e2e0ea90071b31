import { stripVTControlCharacters } from 'node:util';
import type { PromptTests } from '../connector.ts';

/** Characters of recent output; a prompt is at its end. */
const MAX_SEEN = 2048;

/** Words that are prompts without a colon, and words that need one. */
const USERNAME_PROMPTS = [
  /(?:login|user ?name|user|name|用户名|账号|帳號)[ \t]*[:：>]?[ \t]*$/i,
  new RegExp(
    '(?:log[io]n[ _-]?(?:as|name|id)?|user[ _-]?(?:name|id)?|name|account(?:[ _-]name)?|' +
      'benutzer(?:name)?|utilisateur|identifiant|usuario|utente|' +
      '用户(?:名称?)?|用戶(?:名稱?)?|使用者(?:名稱?)?|[账帐帳][号户號戶]|登录名|登入名|ユーザー?名?|사용자(?: ?이름)?)' +
      String.raw`[ \t]*(?:[[(<（][^\r\n]{0,40}[\])>）])?[ \t]*[:：>?？][ \t]*$`,
    'i',
  ),
] as const;
const PASSWORD_PROMPTS = [
  /(?:password|passwd|passcode|密码|密碼|口令)[^\r\n]{0,40}[:：]?[ \t]*$/i,
  /(?:passphrase|passwor[dt]|kennwort|mot de passe|contraseña|senha|\bpin\b|パスワード|암호|비밀번호)[^\r\n]{0,40}[:：>?？][ \t]*$/i,
] as const;
const DEFAULT_PROMPTS = { username: USERNAME_PROMPTS, password: PASSWORD_PROMPTS } as const;
const FAILED = /incorrect|failed|failure|invalid|denied|rejected|失败|错误/i;
/** Reports about earlier attempts are no failure of this one. */
const EARLIER_FAILURES = /last failed|failed login attempts?|since the last successful/i;
const SIGNED_IN = /last login|success|成功/i;
const SHELL_PROMPT = /[#>$%\]][ \t]*$/;

export interface SignInAccount {
  readonly username: string;
  readonly password: string;
  /** Replace the common prompts and phrases. */
  readonly prompts?: PromptTests | undefined;
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
  /** We pressed Enter, and the server may ask for the username once more. */
  #isWoken = false;
  #hasAskedAgain = false;

  constructor(account: SignInAccount) {
    this.#account = account;
  }

  /** True once the password was sent. */
  get isPasswordSent(): boolean {
    return this.#sent === 'password';
  }

  /**
   * True if the server waits with output that we do not understand: after the password any output,
   * before it a line without an end.
   */
  get isUnclear(): boolean {
    if (this.#hasAskedAgain) return true;
    const seen = stripVTControlCharacters(this.#seen);
    return (this.isPasswordSent ? seen : lastLine(seen)).trim() !== '';
  }

  /** True if a silent server may wait for Enter, as consoles behind serial servers do. */
  get isAsleep(): boolean {
    return this.#sent === 'nothing' && !this.#isWoken;
  }

  /** Notes that Enter was pressed. */
  wake(): void {
    this.#isWoken = true;
  }

  /** True if the server sent no text since our last answer, besides its echo of the username. */
  get isUnanswered(): boolean {
    const output = stripVTControlCharacters(this.#seen).trim();
    return this.#sent !== 'nothing' && (output === '' || output === this.#account.username);
  }

  /** Feeds output text and returns the next action. */
  read(text: string): SignInStep {
    this.#seen = (this.#seen + text).slice(-MAX_SEEN);
    const seen = stripVTControlCharacters(this.#seen);
    return this.#sent === 'password' ? this.#verdict(seen) : this.#prompt(seen);
  }

  #prompt(seen: string): SignInStep {
    if (this.#asks('password', seen)) return this.#answer('password', this.#account.password);
    if (!this.#asks('username', seen)) return WAIT;
    if (this.#sent !== 'username') return this.#answer('username', this.#account.username);
    // The same prompt without a password prompt: the server rejected the username, or it took our
    // line end for an empty one and asks again, and the username is on its way.
    if (!this.#isWoken || this.#hasAskedAgain) return { kind: 'rejected' };
    this.#hasAskedAgain = true;
    this.#seen = '';
    return WAIT;
  }

  /** Returns true if the last line asks for the username or the password. */
  #asks(what: 'username' | 'password', seen: string): boolean {
    const line = lastLine(seen);
    const own = this.#account.prompts?.[what];
    if (own) return line !== '' && own(line);
    return DEFAULT_PROMPTS[what].some((one) => one.test(line));
  }

  #verdict(seen: string): SignInStep {
    const { success, failure } = this.#account.prompts ?? {};
    if (failure?.(seen)) return { kind: 'rejected' };
    if (success ? success(seen) : SIGNED_IN.test(seen)) return { kind: 'signed-in' };
    const lines = seen.split(/[\r\n]/).map((line) => (EARLIER_FAILURES.test(line) ? '' : line));
    const current = lines.join('\n');
    const hasFailed = !failure && FAILED.test(current);
    if (hasFailed || this.#asks('password', current) || this.#asks('username', current))
      return { kind: 'rejected' };
    return !success && SHELL_PROMPT.test(lastLine(current)) ? { kind: 'signed-in' } : WAIT;
  }

  #answer(sent: 'username' | 'password', line: string): SignInStep {
    this.#sent = sent;
    this.#seen = '';
    if (sent === 'password') this.#hasAskedAgain = false;
    return { kind: 'answer', line };
  }
}

function lastLine(text: string): string {
  return text.slice(Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
}
