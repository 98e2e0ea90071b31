import {
  type AccessChange,
  type CountedNames,
  type LocalText,
  takesAway,
} from '@sallyport/contract';
import { formatDate } from '../format/format.ts';
import { language, t } from '../i18n/index.ts';
import styles from './AccessLines.module.css';
import { ACTIONS, CHANGES, words } from './words.ts';

/** An access change as a sentence, with the names that do not fit into it. */
interface AccessLine {
  readonly key: string;
  readonly text: string;
  readonly names: string;
  /** True if users lose access. */
  readonly takes: boolean;
}

/** Maximum names in a sentence. */
const SHOWN = 2;

const list = (names: readonly string[]) =>
  new Intl.ListFormat(language === 'zh' ? 'zh-CN' : 'en').format(names);

const isShort = ({ count, names }: CountedNames) => count <= SHOWN && names.length === count;

const some = (counted: CountedNames, many: LocalText) =>
  isShort(counted) ? list(counted.names) : t(many, { count: counted.count });

/** Returns the first names if the sentence only counts, with an ellipsis if there are more. */
function namesOf(counted: CountedNames): string[] {
  if (isShort(counted) || counted.names.length === 0) return [];
  const names = counted.names.join(', ');
  return [counted.count > counted.names.length ? t(words.more, { names }) : names];
}

function actionsIn(names: readonly string[]): string {
  // Drop the name of a group if all its actions are listed.
  return list(
    Object.entries(ACTIONS).flatMap(([name, label]) => (names.includes(name) ? [t(label)] : [])),
  );
}

/** Describes access changes in sentences, gained access first. */
export function accessLines(access: readonly AccessChange[]): AccessLine[] {
  return access.map((change) => {
    const { kind, target, people, assets, accounts, accesses, actions } = change;
    return {
      key: `${target} ${kind}`,
      text: t(CHANGES[kind], {
        who: some(people, words.users),
        what: some(assets, words[target]),
        accounts: some(accounts, words.accounts),
        actions: actionsIn(actions),
        // True only if every user gets every asset.
        all:
          accesses < people.count * assets.count * accounts.count
            ? t(words.inAll, { count: accesses })
            : '',
      }),
      names: [people, assets, accounts].flatMap(namesOf).join(' · '),
      takes: takesAway(change),
    };
  });
}

/** Lists access changes as sentences. */
export function AccessLines({
  access,
  from,
}: {
  readonly access: readonly AccessChange[];
  readonly from: string | null;
}) {
  return accessLines(access).map(({ key, text, names, takes }) => (
    <li key={key} className={takes ? styles.takes : styles.gives}>
      {from && `${t(words.from, { date: formatDate(from) })} `}
      {text}
      {names && <span className={styles.names}>{names}</span>}
    </li>
  ));
}
