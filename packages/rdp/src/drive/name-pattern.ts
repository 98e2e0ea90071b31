/** Characters of patterns: any text, any character, and their forms of DOS (MS-FSA 2.1.4.4). */
const ANY_TEXT = '*<';
const ANY_CHARACTER = '?>"';

/** Returns true if a name fits a pattern such as `*.txt`, in any case. */
export function matchesPattern(name: string, pattern: string): boolean {
  if (pattern === '' || pattern === '*.*') return true;
  const [text, rule] = [[...name.toLowerCase()], [...pattern.toLowerCase()]];
  let [at, in_] = [0, 0];
  // Where to continue if the rest does not fit: after the last `*`, one character later.
  let back: { readonly at: number; readonly rule: number } | undefined;
  while (at < text.length) {
    const sign = rule[in_];
    if (sign !== undefined && ANY_TEXT.includes(sign)) {
      back = { at, rule: in_ };
      in_++;
    } else if (sign !== undefined && (sign === text[at] || ANY_CHARACTER.includes(sign))) {
      at++;
      in_++;
    } else if (back) {
      back = { at: back.at + 1, rule: back.rule };
      at = back.at;
      in_ = back.rule + 1;
    } else return false;
  }
  return rule.slice(in_).every((sign) => ANY_TEXT.includes(sign));
}
