import {
  actionMask,
  type condition,
  type Lasting,
  type LocalText,
  type PermissionSummary,
  parseDatetime,
  type Row,
  type SomeNames,
  validityOf,
} from '@sallyport/contract';
import { formatDate, isWithoutEnd } from '../../../kit/format/format.ts';
import { formatRelative } from '../../../kit/format/relative-time.ts';
import { language, t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** The terms of a permission, without the objects that it names. */
export interface Terms extends Lasting {
  readonly actions: readonly string[];
  readonly date_expired: string;
}

const SHOWN = 2;

const list = (names: readonly string[], type: 'conjunction' | 'disjunction') =>
  new Intl.ListFormat(language === 'zh' ? 'zh-CN' : 'en', { type }).format(names);

/** Lists the first names and the number of further ones. */
function someOf(
  { count, names }: SomeNames,
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string {
  if (count <= names.length) return list(names, type);
  const firstNames = names.slice(0, SHOWN);
  return t(words.andMore, {
    names: firstNames.join(language === 'zh' ? '、' : ', '),
    count: language === 'zh' ? count : count - firstNames.length,
  });
}

const both = (one: SomeNames, other: SomeNames): SomeNames => ({
  count: one.count + other.count,
  names: [...one.names, ...other.names],
});

function who({ users, user_groups: groups, people }: PermissionSummary): string {
  const all = both(groups, users);
  if (all.count === 0) return t(words.nobody);
  return groups.count > 0
    ? t(words.peopleOf, { names: someOf(all), count: people })
    : someOf(users);
}

function where({ assets, nodes, reached }: PermissionSummary): string {
  if (assets.count + nodes.count === 0) return t(words.noAsset);
  if (nodes.count === 0) return someOf(assets);
  return t(assets.count === 0 ? words.assetsOf : words.assetsAndOf, {
    names: someOf(both(nodes, assets)),
    count: reached,
  });
}

const DAY = 86_400_000;

function until(end: string, now: Date): string {
  if (isWithoutEnd(end)) return t(words.withoutEnd);
  const date = parseDatetime(end) ?? new Date(end);
  if (Number.isNaN(date.getTime())) return '';
  const days = Math.ceil((date.getTime() - now.getTime()) / DAY);
  return t(words.untilDate, {
    date: formatDate(end).slice(0, 16),
    distance: days > 1 ? t(words.daysLeft, { count: days }) : formatRelative(date, now),
  });
}

/** Puts the start before the sentence of a permission that has not started. */
function fromStart(sentence: string, terms: Terms, now: Date): string {
  const { date_start: start = '' } = terms;
  if (validityOf(terms, now) !== 'not_started') return sentence;
  return t(words.fromDate, {
    date: formatDate(start).slice(0, 16),
    distance: formatRelative(parseDatetime(start) ?? new Date(start), now),
    sentence,
  });
}

const allows = (actions: readonly string[], name: string) =>
  (actionMask(actions) & actionMask([name])) !== 0;

/**
 * Describes a permission in one sentence: users, actions, targets, accounts and end, and the start
 * if it is later than now.
 */
export function sentenceOf(summary: PermissionSummary, terms: Terms, now: Date): string {
  const { actions, date_expired } = terms;
  const further = {
    upload_file: words.upload,
    download_file: words.download,
    forward_port: words.forward,
    clipboard_copy: words.clipboardCopy,
    clipboard_paste: words.clipboardPaste,
  };
  const more = Object.entries(further).flatMap(([name, word]) =>
    allows(actions, name) ? [t(word)] : [],
  );
  const sentence = t(allows(actions, 'connect') ? words.whoConnects : words.whoUses, {
    who: who(summary),
    where: where(summary),
    accounts:
      summary.system_users.count > 0
        ? someOf(summary.system_users, 'disjunction')
        : t(words.noAccounts),
    also: more.length > 0 ? t(words.also, { actions: list(more, 'conjunction') }) : '',
    until: until(date_expired, now),
  });
  const unused = summary.unoffered.map(({ protocol, accounts: names }) =>
    t(words.unoffered, { protocol, accounts: someOf(names) }),
  );
  const gap = language === 'zh' ? '' : ' ';
  return [fromStart(sentence, terms, now), ...unused].join(gap);
}

/** Names the condition of a permission. */
export const limitOf = ({ name, sentence }: Pick<Row<typeof condition>, 'name' | 'sentence'>) =>
  t(sentence ? words.onlyUnder : words.onlyUnderNamed, { name, parts: sentence });

/** Returns the sentence that a permission grants nothing, with the reasons. */
export const grantsNothing = (reasons: readonly (LocalText | string)[]): string =>
  t(words.grantsNothing, {
    reasons: reasons
      .map((reason) => (typeof reason === 'string' ? reason : t(reason)))
      .join(language === 'zh' ? '、' : ', '),
  });

/** Returns that no system user of a permission has a protocol of its assets; false if one has. */
function lacksProtocol({ system_users: accounts, unoffered }: PermissionSummary): string | false {
  const unused = unoffered.reduce((sum, { accounts: { count } }) => sum + count, 0);
  if (accounts.count === 0 || unused < accounts.count) return false;
  const protocols = list(
    unoffered.map(({ protocol }) => protocol),
    'disjunction',
  );
  return t(words.lacksProtocol, { protocols });
}

/** Returns why a permission grants nothing, now and later. Empty if it grants access. */
export function grantsNothingBecause(
  summary: PermissionSummary,
  { actions, is_active, date_expired }: Terms,
  now: Date,
): string {
  const isOver = validityOf({ is_active: true, date_expired }, now) === 'expired';
  const reasons = [
    summary.people === 0 && words.lacksUsers,
    summary.reached === 0 && words.lacksAssets,
    summary.system_users.count === 0 && words.lacksAccounts,
    lacksProtocol(summary),
    actions.length === 0 && words.lacksActions,
    !is_active && words.isDisabled,
    isOver && words.isOver,
  ].filter((reason) => reason !== false);
  return reasons.length > 0 ? grantsNothing(reasons) : '';
}
