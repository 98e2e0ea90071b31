import {
  ATTENTION_KINDS,
  type AttentionItem,
  type AttentionKind,
  allows,
  asset,
  assetPermission,
  changeAuthSubtask,
  databaseAppPermission,
  formatDatetime,
  job,
  loginLog,
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
import type { Db } from '../../platform/db/database.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { scopeOf } from '../../resources/scope.ts';
import type { Verifier } from '../audits/verification.ts';
import { oldBackup } from '../health/backups.ts';
import type { SettingsService } from '../settings/service.ts';
import { type FactKind, type Found, find, type RowKind, searchesOf } from './store.ts';

/** Free space below this many times the reserve is worth a word: at the reserve itself, sessions end. */
const RESERVES_LEFT = 8;

/** Whose rows a kind looks at: who may read them sees the item, within the same bounds as in their list. */
const RESOURCES: Readonly<Record<RowKind, Resource>> = {
  changed_host_keys: asset,
  unreachable_assets: asset,
  failed_pushes: systemUser,
  failing_storages: terminal,
  failed_canaries: terminal,
  users_expiring: user,
  users_without_reviewers: user,
  unrecorded_sessions: session,
  first_password: user,
  locked_users: user,
  failed_sign_ins: loginLog,
  administrators_without_mfa: user,
  permissions_ending: assetPermission,
  remote_app_permissions_ending: remoteAppPermission,
  database_app_permissions_ending: databaseAppPermission,
  unused_permissions: assetPermission,
  failed_jobs: job,
  unsettled_changes: changeAuthSubtask,
};

/** Of what ends, the first is the one that ends next; of what happened, the latest. */
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
    examples: [{ id: exampleId('asset_permission'), name: 'Web servers for the shop team', amount: null, date: '2026-12-31 18:00:00 +0800' }],
  },
  { kind: 'failed_sign_ins', count: 1, examples: [{ id: null, name: 'li.wei', amount: 5, date: null }] },
];

export interface AttentionOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly settings: SettingsService;
  readonly verifier: Verifier;
  readonly freeBytes: () => Promise<number>;
  /** Free bytes of the disk of the recordings at which sessions end. */
  readonly reserveBytes: () => number;
}

/** Says what needs attention, for the start page. */
export function mountAttention(app: FastifyInstance, { db, engines, settings, verifier, freeBytes, reserveBytes }: AttentionOptions): void {
  const searches = searchesOf(settings);

  const fact = (amount: number | null, date: Date | null = null): Found => ({ count: 1, examples: [{ id: null, name: '', amount, date }] });
  const facts: Readonly<Record<FactKind, () => Promise<Found | undefined>>> = {
    async recordings_disk() {
      const free = await freeBytes();
      return free < RESERVES_LEFT * reserveBytes() ? fact(free) : undefined;
    },
    async audit_logs_broken() {
      const last = await verifier.last();
      return last && !last.intact ? fact(null, last.date) : undefined;
    },
    async audit_logs_unverified() {
      return (await verifier.isDue()) ? fact(null, (await verifier.last())?.date) : undefined;
    },
    async backup_old() {
      const old = await oldBackup(db);
      return old && fact(null, old.last);
    },
  };
  const isFact = (kind: AttentionKind): kind is FactKind => kind in facts;
  const look = async (kind: AttentionKind, context: Context): Promise<Found | undefined> => {
    if (isFact(kind)) return allows(context.actor.permissions, Permission.SUPER) ? facts[kind]() : undefined;
    const engine = engineOf(engines, RESOURCES[kind]);
    const { read } = engine.resource.access;
    if (read === undefined || !allows(context.actor.permissions, read)) return undefined;
    return find(searches[kind](scopeOf(engine, context), context), SOONEST_FIRST.has(kind), db);
  };

  route(app, {
    method: 'GET',
    url: '/api/v1/common/attention/',
    access: Permission.AUDIT,
    summary: 'What needs attention in the current organization, of what the caller may see; the most urgent first.',
    answer: samples<readonly AttentionItem[]>(EXAMPLE),
    async handler(context): Promise<readonly AttentionItem[]> {
      const items: AttentionItem[] = [];
      // One after the other: many start pages that ask at the same time must not take all connections to the database.
      for (const kind of ATTENTION_KINDS) {
        const found = await look(kind, context);
        if (!found || found.count === 0) continue;
        const examples = found.examples.map(({ date, ...example }) => ({ ...example, date: date && formatDatetime(date, context.zone) }));
        items.push({ kind, count: found.count, examples });
      }
      return items;
    },
  });
}
