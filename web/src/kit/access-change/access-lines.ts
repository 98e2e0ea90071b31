import {
  type AccessChange,
  type CountedNames,
  type LocalText,
  takesAway,
} from '@sallyport/contract';
import { language, t } from '../i18n/index.ts';
import { ACTIONS, CHANGES, words } from './words.ts';

/** How access changes, as a sentence, with the names that have no room in it. */
export interface AccessLine {
  readonly key: string;
  readonly text: string;
  readonly names: string;
  /** Something is taken from somebody. */
  readonly takes: boolean;
}

/** As many names as a sentence holds. */
const SHOWN = 2;
const list = (names: readonly string[]) =>
  new Intl.ListFormat(language === 'zh' ? 'zh-CN' : 'en').format(names);
const isShort = ({ count, names }: CountedNames) => count <= SHOWN && names.length === count;
const some = (counted: CountedNames, many: LocalText) =>
  isShort(counted) ? list(counted.names) : t(many, { count: counted.count });

/** The first few names where a sentence only says how many; a mark says that there are more. */
function namesOf(counted: CountedNames): string[] {
  if (isShort(counted) || counted.names.length === 0) return [];
  const names = counted.names.join(', ');
  return [counted.count > counted.names.length ? t(words.more, { names }) : names];
}

function actionsIn(names: readonly string[]): string {
  // A name that stands for several others says nothing more.
  return list(
    Object.entries(ACTIONS).flatMap(([name, label]) => (names.includes(name) ? [t(label)] : [])),
  );
}

/** How access changes, in sentences; what is gained comes first. */
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
        // Not each of the users gets each of the assets.
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
