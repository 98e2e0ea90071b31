import { displayName } from '../../server/src/platform/actor.ts';
import type { Tx } from '../../server/src/platform/db/database.ts';
import { daysBefore, recentDays, workingMoment } from '../calendar.ts';
import type { FilledAccounts } from '../estate/fill-accounts.ts';
import type { SampleAsset } from '../estate/fill-assets.ts';
import type { FilledPeople } from '../people/fill-people.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';

const EDITS = 70;
const DAYS = 24;
const SECRET = '******';

interface Entry {
  readonly action: 'create' | 'update' | 'delete' | 'terminate' | 'accept' | 'refuse';
  readonly kind: string;
  readonly what: string;
  readonly id: string;
  readonly changes: Readonly<Record<string, readonly [unknown, unknown]>> | null;
  readonly when?: Date;
}

/** Objects of the entries. */
export interface OperateLogSources {
  readonly people: FilledPeople;
  readonly assets: readonly SampleAsset[];
  readonly rules: ReadonlyMap<string, string>;
  readonly systemUsers: FilledAccounts['systemUsers'];
}

/**
 * Inserts the actions of administrators in the past weeks: new assets, edits, and a changed host
 * key.
 */
export async function fillOperateLog(
  tx: Tx,
  random: Random,
  now: Date,
  sources: OperateLogSources,
): Promise<void> {
  const { people, assets } = sources;
  const administrators = [...people.accounts.values()].filter(({ role }) => role === 'Admin');
  const created = assets
    .filter(({ days, kind }) => days <= DAYS && kind !== 'playground')
    .map(
      ({ id, hostname, ip, days }): Entry => ({
        action: 'create',
        kind: 'asset',
        what: hostname,
        id,
        changes: { hostname: [null, hostname], ip: [null, ip], is_active: [null, true] },
        when: daysBefore(now, days),
      }),
    );
  const entries = [
    ...created,
    ...Array.from({ length: EDITS }, () => edit(random, now, sources)),
    ...hostKeyStory(random, now, assets),
  ];
  await insertRows(
    tx,
    'operate_log',
    entries.map((entry) => {
      const person = random.pick(administrators);
      const isSystem = entry.action === 'refuse';
      return {
        id: random.uuid(),
        org_id: '',
        user: isSystem ? 'System' : displayName(person),
        action: entry.action,
        resource_type: entry.kind,
        resource: entry.what,
        resource_id: entry.id,
        remote_addr: isSystem
          ? '198.18.11.14'
          : `${person.address}.${20 + ((person.username.length * 7) % 180)}`,
        changes: entry.changes,
        datetime: entry.when ?? workingMoment(random, now, recentDays(random, DAYS)),
      };
    }),
  );
}

function edit(
  random: Random,
  now: Date,
  { people, assets, rules, systemUsers }: OperateLogSources,
): Entry {
  const asset = random.pick(assets.filter(({ kind }) => kind !== 'playground'));
  const person = random.pick([...people.accounts.values()].filter(({ canSignIn }) => !canSignIn));
  const group = random.pick([...people.groups]);
  const rule = random.pick([...rules]);
  const systemUser = random.pick([...systemUsers]);
  const day = (days: number) =>
    `${daysBefore(now, days).toISOString().slice(0, 10)} 23:59:59 +0800`;
  return random.pick<Entry>([
    {
      action: 'update',
      kind: 'asset',
      what: asset.hostname,
      id: asset.id,
      changes: { comment: ['', random.pick(['已加固', 'patched', '待下线', '更换电源'])] },
    },
    {
      action: 'update',
      kind: 'asset',
      what: asset.hostname,
      id: asset.id,
      changes: { number: [null, `AS-${random.between(10_000, 99_999)}`] },
    },
    {
      action: 'update',
      kind: 'user',
      what: displayName(person),
      id: person.id,
      changes: { password: [SECRET, SECRET] },
    },
    {
      action: 'update',
      kind: 'user',
      what: displayName(person),
      id: person.id,
      changes: { comment: ['', person.comment] },
    },
    {
      action: 'update',
      kind: 'user_group',
      what: group[0],
      id: group[1],
      changes: { comment: ['', random.pick(['按季度复核', 'reviewed'])] },
    },
    {
      action: 'update',
      kind: 'asset_permission',
      what: rule[0],
      id: rule[1],
      changes: { date_expired: [day(random.between(0, 30)), day(-random.between(60, 360))] },
    },
    {
      action: 'update',
      kind: 'system_user',
      what: systemUser[0],
      id: systemUser[1].id,
      changes: { password: [SECRET, SECRET] },
    },
    {
      action: 'create',
      kind: 'label',
      what: random.pick(['环境:灾备', 'team:payments', '机柜:A07']),
      id: random.uuid(),
      changes: null,
    },
    {
      action: 'delete',
      kind: 'asset',
      what: `old-${asset.hostname}`,
      id: random.uuid(),
      changes: null,
    },
  ]);
}

function hostKeyStory(random: Random, now: Date, assets: readonly SampleAsset[]): Entry[] {
  const asset = assets.find(({ hostname }) => hostname === 'sh-order-04');
  if (!asset) return [];
  const moment = workingMoment(random, now, 8);
  const print = () =>
    `SHA256:${Buffer.from(random.uuid() + random.uuid())
      .toString('base64url')
      .slice(0, 43)}`;
  const story = {
    kind: 'host_key',
    what: `${asset.hostname} ${asset.ip}:22`,
    id: asset.id,
    changes: { fingerprint: [print(), print()] as const },
  };
  return [
    { ...story, action: 'refuse', when: moment },
    { ...story, action: 'accept', when: new Date(moment.getTime() + 1_260_000) },
  ];
}
