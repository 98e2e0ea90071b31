import type { Fields } from './resource.ts';
import { type Language, say } from './text.ts';

/** Labels that earlier versions wrote into files, and the labels that replaced them. */
const RENAMED = new Map(
  [
    ['Is active', 'Active'],
    ['邮件', '邮箱'],
    ['Auto generate key', 'Generate key automatically'],
    ['Username same with user', 'Username same as user'],
    ['Periodic perform', 'Run on a schedule'],
    ['Regularly perform', 'Crontab'],
    ['Cycle perform', 'Interval (hours)'],
    ['周期执行', '周期执行（小时）'],
    ['Longest time (minutes)', 'Maximum duration (minutes)'],
    ['最长时间（分钟）', '最长时长（分钟）'],
    ['The default organization', 'Default organization'],
    ['Bucket in the path', 'Bucket in path'],
    ['桶名称在路径中', '路径包含桶名称'],
    ['Login mode', 'Sign-in mode'],
    ['MFA', 'Second factor'],
    ['账户', '账号'],
    ['账户名称', '账号名称'],
    ['账户密钥', '账号密钥'],
  ].map(([former = '', label = '']) => [plain(former), plain(label)]),
);

/** Drops the star of required columns, spaces and case, which no label depends on. */
function plain(header: string): string {
  return header.trim().replace(/^\*/, '').replace(/\s+/g, '').toLowerCase();
}

/**
 * Returns the field of a header cell: by name, or by its label in either language, also by the
 * label of an earlier version. Undefined if unknown.
 */
export function fieldOfHeader(fields: Fields, header: string): string | undefined {
  const text = plain(header);
  const entries = Object.entries(fields);
  const byName = entries.find(([name]) => name.toLowerCase() === text);
  if (byName) return byName[0];
  const labelledBy = (label: string) =>
    entries.filter(([, field]) =>
      [field.label.en, field.label.zh].some((one) => plain(one) === label),
    );
  const current = labelledBy(text);
  const renamed = RENAMED.get(text);
  const labelled = current.length > 0 || !renamed ? current : labelledBy(renamed);
  // A code and its text may share a label; prefer the writable field.
  const field = (labelled.find(([, { mode }]) => mode !== 'readonly') ?? labelled[0])?.[0];
  if (field !== undefined) return field;
  const [, label = '', name = ''] = /^(.+)\((\w+)\)$/.exec(text) ?? [];
  return labelledBy(label).find(([one]) => one.toLowerCase() === name)?.[0];
}

/**
 * Returns the header cell of a field in a file. Where several fields share a label, the name of the
 * field follows the label of those that an import does not read from it.
 */
export function headerOf(fields: Fields, name: string, language: Language): string {
  const label = say(fields[name]?.label ?? { en: name, zh: name }, language);
  return fieldOfHeader(fields, label) === name ? label : `${label} (${name})`;
}

/** Start of a template's comment line. Imported data never starts like this. */
export const COMMENT_MARK = '# sallyport: ';

/**
 * Returns true for a template's comment line, which imports skip. It can only follow the header;
 * its columns may have moved.
 */
export const isComment = (cells: readonly string[], place: number): boolean =>
  place === 0 && cells.some((cell) => cell.startsWith(COMMENT_MARK));
