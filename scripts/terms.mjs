// Refuses terms in the texts of screens, mails and answers for which the glossary has another one.
// `node scripts/terms.mjs web/src` prints the faults of one folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib.mjs';
import { projectFiles } from './source-files.mjs';

/** Refused terms by language, each with the term of docs/glossary.md. */
const REFUSED = {
  en: [
    [/\bMFA\b|\b2FA\b|two-factor|two-step|multi-factor/i, 'second factor'],
    [/\blog[ -]?(in|on)\b(?! shell)|\blogins?\b(?! shell)/i, 'sign-in, sign in'],
    [/\blog[ -]?(out|off)\b(?! URL)/i, 'sign out'],
    [/\bpermission rules?\b|\bauthori[sz]ation rules?\b/i, 'permission'],
    [/\bUpdate (asset|user|the|selected|\{)/i, 'edit, change'],
    [/\bmodify|\bmodified by\b/i, 'edit, change'],
    [/\bmonitor(ing)? (the |a |this )?session/i, 'watch'],
    [/\b(break[ -]?glass|account's password policy)\b/i, 'emergency access'],
    [/\bjump ?server\b|\bbastion host\b/i, 'Sallyport, this server'],
    [/\d %/, 'no space before %'],
  ],
  zh: [
    [/MFA|2FA|两步验证|两步认证|二次验证|二次认证|双因素|双因子|多因子/, '双重认证'],
    [/登陆/, '登录'],
    [/账户|帐号|帐户/, '账号'],
    [/授权规则|权限规则/, '授权'],
    [/断路|破窗/, '紧急访问'],
    [/更新(所选|资产授权|组织|系统用户|该)/, '编辑'],
    [/\d %/, '% 前不加空格'],
  ],
};

const TEXT = /\b(zh|en):\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g;
const QUOTED_TEXTS = 'web/src/console/quoted-texts.test.ts';

/** Texts that existing users know, and other names by which the search finds a page. */
function keptTexts() {
  const source = readFileSync(join(ROOT, QUOTED_TEXTS), 'utf8');
  return new Set([...source.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, text]) => text));
}

/** Faults of the texts in a program: [line, text]. */
export function refusedTermsOf(source, kept = new Set()) {
  return [...source.matchAll(TEXT)].flatMap(({ 0: whole, 1: language, index, ...groups }) => {
    const text = groups[2] ?? groups[3] ?? groups[4] ?? '';
    if (kept.has(text)) return [];
    // Other names of a page are search words, not texts of a screen.
    const before = source.slice(source.lastIndexOf('\n', index - 1) + 1, index);
    if (/otherNames: /.test(before) || isInsideOtherNames(source, index)) return [];
    const line = source.slice(0, index + whole.indexOf(text)).split('\n').length;
    // Names of placeholders are no words.
    const words = text.replaceAll(/\{\w+/g, '{');
    return REFUSED[language].flatMap(([pattern, term]) => {
      const match = pattern.exec(words);
      return match ? [[line, `“${match[0]}” in “${text}”: ${term}`]] : [];
    });
  });
}

/** Returns true if the nearest open list before a place is that of `otherNames`. */
function isInsideOtherNames(source, index) {
  const start = source.lastIndexOf('otherNames: [', index);
  return start >= 0 && !source.slice(start, index).includes(']');
}

/** Faults of the texts of all programs, one line each. */
export function findRefusedTerms(under = '') {
  const kept = keptTexts();
  return projectFiles(/^(web|contract|server)\/src\/.*\.tsx?$/)
    .filter((file) => file.startsWith(under) && !/\.test\.tsx?$/.test(file))
    .flatMap((file) =>
      refusedTermsOf(readFileSync(join(ROOT, file), 'utf8'), kept).map(
        ([line, fault]) => `${file}:${line} ${fault}`,
      ),
    );
}

if (import.meta.filename === process.argv[1])
  for (const fault of findRefusedTerms(process.argv[2])) console.log(fault);
