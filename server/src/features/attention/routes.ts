import {
  ATTENTION_KINDS,
  type AttentionItem,
  type AttentionKind,
  alert,
  allows,
  asset,
  assetPermission,
  changeAuthSubtask,
  databaseAppPermission,
  formatDatetime,
  job,
  loginLog,
  lostChange,
  Permission,
  type Resource,
  remoteAppPermission,
  session,
  systemUser,
  terminal,
  user,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { displayName, mayUse } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { schedulesStopped } from '../../platform/jobs/future-times.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { scopeOf } from '../../resources/read/scope.ts';
import type { Verifier } from '../audits/index.ts';
import {
  type BackupState,
  backupState,
  type DrillState,
  drillState,
  isDrillLate,
  oldBackup,
} from '../backups/index.ts';
import { waitingSets } from '../change-control/index.ts';
import { countDrift } from '../compliance/index.ts';
import { readingAttention } from '../directory/index.ts';
import type { Replication } from '../health/index.ts';
import { clocksApart } from '../servers/index.ts';
import { recordingsOnDisks } from '../storages/index.ts';
import type { Witnesses } from '../witness/index.ts';
import { replicationFacts } from './replication-facts.ts';
import {
  type FactKind,
  findAll,
  type Found as Matches,
  type RowKind,
  type Asked as ScopedSearch,
  searchesOf,
} from './store.ts';

/**
 * Warns when the free space falls below this multiple of the reserve. At the reserve, sessions end.
 */
const RESERVES_LEFT = 8;

/**
 * The resource that a kind searches. Callers see the items whose rows they may read, with the scope
 * of their list.
 */
const RESOURCES: Readonly<Record<RowKind, Resource>> = {
  changed_host_keys: asset,
  unreachable_assets: asset,
  failed_pushes: systemUser,
  failing_storages: terminal,
  failed_canaries: terminal,
  users_expiring: user,
  users_shut: user,
  users_without_reviewers: user,
  permissions_without_reviewers: assetPermission,
  remote_app_permissions_without_reviewers: remoteAppPermission,
  database_app_permissions_without_reviewers: databaseAppPermission,
  waiting_sessions: session,
  unrecorded_sessions: session,
  unrestored_recordings: session,
  first_password: user,
  locked_users: user,
  failed_sign_ins: loginLog,
  unseen_alerts: alert,
  lost_changes: lostChange,
  duty_holders_elsewhere: user,
  users_of_one_name: user,
  administrators_without_mfa: user,
  permissions_ending: assetPermission,
  remote_app_permissions_ending: remoteAppPermission,
  database_app_permissions_ending: databaseAppPermission,
  unused_permissions: assetPermission,
  failed_jobs: job,
  unsettled_changes: changeAuthSubtask,
};

const ROW_KINDS = Object.keys(RESOURCES) as RowKind[];

/** Kinds that list the next date first. The others list the latest date first. */
const SOONEST_FIRST: ReadonlySet<AttentionKind> = new Set([
  'permissions_ending',
  'remote_app_permissions_ending',
  'database_app_permissions_ending',
  'users_expiring',
]);

const EXAMPLE: readonly AttentionItem[] = [
  {
    kind: 'permissions_ending',
    count: 4,
    examples: [
      {
        id: exampleId('asset_permission'),
        name: 'Web servers for the shop team',
        amount: null,
        date: '2026-12-31 18:00:00 +0800',
      },
    ],
  },
  {
    kind: 'failed_sign_ins',
    count: 1,
    examples: [{ id: null, name: 'li.wei', amount: 5, date: null }],
  },
];

const fact = (amount: number | null, date: Date | null = null): Matches => ({
  count: 1,
  examples: [{ id: null, name: '', amount, date }],
});

const namesOnly = (names: readonly string[]): Matches => ({
  count: names.length,
  examples: names.slice(0, 3).map((name) => ({ id: null, name, amount: null, date: null })),
});

/** Names the servers whose clock is not the database's, with the difference. */
const clockMatches = (clocks: Awaited<ReturnType<typeof clocksApart>>): Matches =>
  namesOnly(clocks.map(({ name, seconds }) => `${name} (${seconds > 0 ? '+' : ''}${seconds} s)`));

export interface AttentionOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly settings: SettingsService;
  readonly verifier: Verifier;
  readonly witnesses: Pick<Witnesses, 'state'>;
  readonly freeBytes: () => Promise<number>;
  /** Returns the problem of a disk that sessions need. */
  readonly diskProblem: () => Promise<string | undefined>;
  /** Returns the problem of a database that takes no changes. */
  readonly databaseProblem: () => Promise<string | undefined>;
  /** Returns the standbys of the database; undefined if they are not known. */
  readonly replication: () => Replication | undefined;
  /** Free bytes on the disk of recordings at which sessions end. */
  readonly reserveBytes: () => number;
}

/** Returns the items that were found, the most urgent first. */
const itemsOf = (
  matches: ReadonlyMap<AttentionKind, Matches | undefined>,
  { zone }: Pick<Context, 'zone'>,
): readonly AttentionItem[] =>
  ATTENTION_KINDS.flatMap((kind) => {
    const { count = 0, examples = [] } = matches.get(kind) ?? {};
    if (count === 0) return [];
    const dated = examples.map(({ date, ...example }) => ({
      ...example,
      date: date && formatDatetime(date, zone),
    }));
    return [{ kind, count, examples: dated }];
  });

/** Mounts the route that lists items for the start page. */
export function mountAttention(
  app: FastifyInstance,
  {
    db,
    engines,
    settings,
    verifier,
    witnesses,
    freeBytes,
    diskProblem,
    databaseProblem,
    replication,
    reserveBytes,
  }: AttentionOptions,
): void {
  const searches = searchesOf(settings);

  /** The disk and the verification. */
  const findFacts = async (): Promise<readonly [FactKind, Matches | undefined][]> => {
    const problem = await diskProblem();
    const [stopped, free, last, witness, reading] = await Promise.all([
      databaseProblem(),
      problem === undefined ? freeBytes() : Number.POSITIVE_INFINITY,
      verifier.last(),
      witnesses.state(),
      settings.get('AUTH_LDAP') ? readingAttention(db) : undefined,
    ]);
    const { held, failingSince } = reading ?? {};
    const isDue = await verifier.isDue(last);
    return [
      ['recordings_stopped', problem === undefined ? undefined : fact(null)],
      ['database_stopped', stopped === undefined ? undefined : fact(null)],
      ['recordings_disk', free < RESERVES_LEFT * reserveBytes() ? fact(free) : undefined],
      [
        'directory_held',
        held && {
          count: held.people.length,
          examples: held.people.slice(0, 3).map(({ id, username, name }) => ({
            id,
            name: displayName({ name, username }),
            amount: null,
            date: held.date,
          })),
        },
      ],
      ['directory_unread', failingSince && fact(null, failingSince)],
      ['audit_logs_broken', last && !last.intact ? fact(null, last.date) : undefined],
      ['preset_drift', { count: countDrift(settings), examples: [] }],
      ['witness_missing', witness.isMissing ? fact(null, witness.last) : undefined],
      ['audit_logs_unverified', isDue ? fact(null, last?.date) : undefined],
    ];
  };
  const backupFacts = (
    backup: BackupState | undefined,
    state: DrillState | undefined,
  ): readonly [FactKind, Matches | undefined][] => {
    const isLate = state && isDrillLate(state, settings.get('BACKUP_DRILL_DAYS'));
    return [
      ['backup_failed', backup?.has_failed ? fact(null, backup.last_tried) : undefined],
      ['backup_drill_failed', state?.has_failed ? fact(null, state.last_finished) : undefined],
      ['backup_drill_late', isLate ? fact(null, state.last_passed) : undefined],
    ];
  };
  /** The search of a kind. Undefined if the caller may not read its rows. */
  const scopedSearch = (kind: RowKind, context: Context): ScopedSearch | undefined => {
    const engine = engineOf(engines, RESOURCES[kind]);
    if (!mayUse(context.actor, engine.resource, 'read')) return undefined;
    return {
      kind,
      rows: searches[kind](scopeOf(engine, context), context),
      soonestFirst: SOONEST_FIRST.has(kind),
    };
  };

  route(app, {
    method: 'GET',
    url: '/api/v1/common/attention/',
    access: Permission.AUDIT,
    summary: 'List the items of Needs attention that the caller may see, the most urgent first.',
    answer: samples<readonly AttentionItem[]>(EXAMPLE),
    async handler(context): Promise<readonly AttentionItem[]> {
      const requested = ROW_KINDS.flatMap((kind) => scopedSearch(kind, context) ?? []);
      const isSuper = allows(context.actor.permissions, Permission.SUPER);
      // Many start pages at the same time must not take all database connections.
      const { actor } = context;
      const decides = allows(actor.permissions, Permission.ADMIN);
      const [[rows, changes, old, backup, drills, stopped, clocks, homes], facts] =
        await Promise.all([
          db.together((one) =>
            Promise.all([
              findAll(requested, one),
              decides ? waitingSets(actor.organization.id, actor.userId, one) : undefined,
              isSuper ? oldBackup(one) : undefined,
              isSuper ? backupState(one) : undefined,
              isSuper ? drillState(one) : undefined,
              isSuper ? schedulesStopped(one) : undefined,
              isSuper ? clocksApart(one) : [],
              isSuper ? recordingsOnDisks(one) : [],
            ]),
          ),
          isSuper ? findFacts() : [],
        ]);
      const matches = new Map<AttentionKind, Matches | undefined>([
        ...rows,
        ...facts,
        ['waiting_change_sets', changes],
        ['backup_old', old && fact(null, old.last)],
        ['schedules_stopped', stopped && fact(null, stopped)],
        ['clocks_apart', clockMatches(clocks)],
        ['recordings_on_disks', namesOnly(homes)],
        ...(isSuper ? replicationFacts(replication()) : []),
        ...backupFacts(backup, drills),
      ]);
      return itemsOf(matches, context);
    },
  });
}
