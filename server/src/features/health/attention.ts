import { Permission } from '@sallyport/contract';
import {
  type Attention,
  type AttentionFacts,
  attentionFact,
  attentionNames,
} from '../../resources/attention.ts';
import {
  asynchronousStandbys,
  isUnseen,
  lateStandbys,
  type Replication,
  type Standby,
} from './replication.ts';

/**
 * Warns when the free space falls below this multiple of the reserve. At the reserve, sessions end.
 */
const RESERVES_LEFT = 8;

export interface HealthFacts {
  /** Returns the problem of a disk that sessions need. */
  readonly diskProblem: () => Promise<string | undefined>;
  /** Returns the problem of a database that takes no changes. */
  readonly databaseProblem: () => Promise<string | undefined>;
  readonly freeBytes: () => Promise<number>;
  /** Free bytes on the disk of recordings at which sessions end. */
  readonly reserveBytes: () => number;
  /** Returns the standbys of the database; undefined if they are not known. */
  readonly replication: () => Replication | undefined;
}

/** Returns what the standbys of the database need. */
function standbyFacts(replication: Replication | undefined): AttentionFacts {
  if (!replication) return [];
  const nameOf = ({ name }: Standby) => name;
  const late = lateStandbys(replication).map(({ name, seconds }) => `${name} (${seconds} s)`);
  return [
    ['standby_behind', attentionNames(late)],
    ['asynchronous_standby', attentionNames(asynchronousStandbys(replication).map(nameOf))],
    ['standby_unseen', attentionNames(replication.standbys.filter(isUnseen).map(nameOf))],
  ];
}

export const createHealthAttention = ({
  diskProblem,
  databaseProblem,
  freeBytes,
  reserveBytes,
  replication,
}: HealthFacts): Attention => ({
  facts: {
    kinds: [
      'recordings_stopped',
      'database_stopped',
      'recordings_disk',
      'standby_behind',
      'asynchronous_standby',
      'standby_unseen',
    ],
    access: Permission.SUPER,
    async observe() {
      const problem = await diskProblem();
      const [stopped, free] = await Promise.all([
        databaseProblem(),
        problem === undefined ? freeBytes() : Number.POSITIVE_INFINITY,
      ]);
      const isLow = free < RESERVES_LEFT * reserveBytes();
      return [
        ['recordings_stopped', problem === undefined ? undefined : attentionFact(null)],
        ['database_stopped', stopped === undefined ? undefined : attentionFact(null)],
        ['recordings_disk', isLow ? attentionFact(free) : undefined],
        ...standbyFacts(replication()),
      ];
    },
  },
});
