import type { AccessChange, CountedNames } from '@sallyport/contract';
import type { Applied, AppliedObject, FieldChange } from '../../features/apply/index.ts';

const MOST_NAMED = 3;
const ACCESS: Readonly<Record<AccessChange['kind'], string>> = {
  gained: 'gains access',
  lost: 'loses access',
  more_actions: 'may do more',
  fewer_actions: 'may do less',
  longer: 'keeps access longer',
  shorter: 'loses access earlier',
};

function countWithNames({ count, names }: CountedNames, what: string): string {
  const first = names.slice(0, MOST_NAMED).join(', ');
  const more = names.length > 0 && count > Math.min(names.length, MOST_NAMED) ? ', …' : '';
  return `${count} ${what}${first ? ` (${first}${more})` : ''}`;
}

const accessLine = ({ kind, people, assets, accounts, actions }: AccessChange) =>
  `${ACCESS[kind]}: ${countWithNames(people, 'users')}, ${countWithNames(assets, 'assets')}, ${countWithNames(accounts, 'accounts')}${actions.length > 0 ? `: ${actions.join(', ')}` : ''}`;

function changeLines({ field, before, after }: FieldChange): string[] {
  if (typeof before === 'string' || typeof after === 'string')
    return [`${field}: ${before || 'none'} → ${after || 'none'}`];
  const [old, fresh] = [before ?? [], after ?? []];
  return [
    ...fresh.filter((one) => !old.includes(one)).map((one) => `${field}: + ${one}`),
    ...old.filter((one) => !fresh.includes(one)).map((one) => `${field}: - ${one}`),
  ];
}

function objectLines({ kind, name, action, changes, consequences, access }: AppliedObject) {
  return [
    `${action} ${kind} ${name}`,
    ...(action === 'update' ? changes.flatMap(changeLines) : []).map((line) => `    ${line}`),
    ...access.map((change) => `  ! ${accessLine(change)}`),
    ...consequences.map(
      (effect) => `  ! ${countWithNames(effect, effect.kind.replaceAll('_', ' '))}`,
    ),
  ];
}

/** Returns true if a plan or a run contains a change. */
export const hasChanges = ({ objects }: Applied): boolean =>
  objects.some(({ action }) => action !== 'unchanged');

/** Counts the objects of a plan or a run by their action. */
export function countsOf({ objects }: Applied): Readonly<Record<AppliedObject['action'], number>> {
  const counts = { create: 0, update: 0, delete: 0, unchanged: 0 };
  for (const { action } of objects) counts[action] += 1;
  return counts;
}

/** Describes a plan or a finished run for a terminal. */
export function inLines(result: Applied): string[] {
  const { applied, objects } = result;
  const counts = countsOf(result);
  const sum = `${counts.create} created, ${counts.update} updated, ${counts.delete} deleted, ${counts.unchanged} unchanged`;
  return [
    ...objects.filter(({ action }) => action !== 'unchanged').flatMap(objectLines),
    applied || !hasChanges(result)
      ? `${sum}.`
      : `Would be ${sum}. Nothing was changed: --yes makes the changes.`,
  ];
}
