import {
  asynchronousStandbys,
  isUnseen,
  lateStandbys,
  type Replication,
  type Standby,
} from '../health/index.ts';
import type { FactKind, Found } from './store.ts';

/** Number of standbys that an item names. */
const EXAMPLES = 3;

const itemOf = (standbys: readonly Standby[], nameOf: (standby: Standby) => string): Found => ({
  count: standbys.length,
  examples: standbys
    .slice(0, EXAMPLES)
    .map((standby) => ({ id: null, name: nameOf(standby), amount: null, date: null })),
});

/** Returns what the standbys of the database need. */
export function replicationFacts(
  replication: Replication | undefined,
): readonly [FactKind, Found][] {
  if (!replication) return [];
  const nameOf = ({ name }: Standby) => name;
  return [
    [
      'standby_behind',
      itemOf(lateStandbys(replication), ({ name, seconds }) => `${name} (${seconds} s)`),
    ],
    ['asynchronous_standby', itemOf(asynchronousStandbys(replication), nameOf)],
    ['standby_unseen', itemOf(replication.standbys.filter(isUnseen), nameOf)],
  ];
}
