import type { CountedNames, OffboardingFacts } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** The first names of a list, followed by a mark if there are more. */
export function namesOf({ count, names }: CountedNames): string {
  const FEW = 5;
  const list = names.slice(0, FEW).join(', ');
  return count > FEW ? t(words.more, { names: list }) : list;
}

/** Access that ends immediately, independent of options, as sentences. */
export function endingLines({
  sign_ins: signIns,
  access_keys: keys,
  sessions,
}: OffboardingFacts): string[] {
  return [
    ...(signIns ? [t(words.signIns, { count: signIns })] : []),
    ...(sessions.count > 0
      ? [t(words.sessions, { count: sessions.count, names: namesOf(sessions) })]
      : []),
    ...(keys ? [t(words.accessKeys, { count: keys })] : []),
  ];
}

/** All ended access, as sentences. */
export function doneLines(done: OffboardingFacts): string[] {
  const { public_key: key, groups, permissions } = done;
  return [
    ...endingLines(done),
    ...(key ? [t(words.key)] : []),
    ...(groups.count > 0 ? [t(words.groups, { count: groups.count, names: namesOf(groups) })] : []),
    ...(permissions.count > 0
      ? [t(words.permissions, { count: permissions.count, names: namesOf(permissions) })]
      : []),
  ];
}
