/** Characters that people write for letters. */
const LETTERS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};
/** Digits and signs that people append, such as a year and an exclamation mark. */
const APPENDED = /[^\p{L}]{0,6}$/u;
const ONLY_APPENDED = /^[^\p{L}]{0,6}$/u;
const SHORTEST_TEXT = 4;

let loading: Promise<ReadonlySet<string>> | undefined;

/** Loads the list at the first new password: most starts of a server need none. */
const commonPasswords = (): Promise<ReadonlySet<string>> => {
  loading ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return loading;
};

const spelled = (text: string): string =>
  text.replace(/[013457@$!]/g, (sign) => LETTERS[sign] ?? sign);

/** The plain forms of a password: without capitals, signs for letters, and appended digits. */
function formsOf(password: string): readonly string[] {
  const lower = password.toLowerCase();
  const base = lower.replace(APPENDED, '');
  return [lower, base, spelled(lower), spelled(base)].filter(
    (form) => form.length >= SHORTEST_TEXT,
  );
}

/** Returns true if a password is a text, also in another spelling or with appended digits. */
function isText(password: string, text: string): boolean {
  const [lower, begin] = [password.toLowerCase(), text.toLowerCase()];
  return (
    begin.length >= SHORTEST_TEXT &&
    spelled(lower).startsWith(spelled(begin)) &&
    ONLY_APPENDED.test(lower.slice(begin.length))
  );
}

/**
 * Returns true if a password is on the list of the 50,000 most common ones, or is a text about its
 * owner, such as the username; also with changed spelling.
 */
export async function isCommonPassword(
  password: string,
  aboutOwner: readonly unknown[],
): Promise<boolean> {
  const common = await commonPasswords();
  return (
    formsOf(password).some((form) => common.has(form)) ||
    aboutOwner.some((text) => isText(password, String(text ?? '')))
  );
}
