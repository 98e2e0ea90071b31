import type { Tx } from '../../server/src/platform/db/database.ts';
import { daysBefore } from '../calendar.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import type { FilledAccounts } from './fill-accounts.ts';
import { pathName } from './fill-tree.ts';
import { hardwareOf } from './hardware.ts';
import { type Kind, PLACES, PLAYGROUND, type Place, type SampleLabel } from './places.ts';

export interface SampleAsset {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly kind: Kind | 'playground';
  readonly os: string;
  readonly days: number;
  readonly isActive: boolean;
}

/** Existing hosts: all of them are the sandboxed SSH server. */
export const PLAYGROUND_HOSTS = [
  'demo-shell',
  'demo-web-01',
  'demo-db-01',
  'demo-build-01',
] as const;

const PROTOCOLS: Readonly<Record<Kind, readonly string[]>> = {
  web: ['ssh/22'],
  app: ['ssh/22'],
  database: ['ssh/22'],
  data: ['ssh/22'],
  kubernetes: ['ssh/22'],
  ci: ['ssh/22'],
  firewall: ['ssh/2222', 'telnet/23'],
  windows: ['rdp/3389'],
  sandbox: ['ssh/22', 'vnc/5900'],
};

interface Made {
  readonly sample: SampleAsset;
  readonly row: Record<string, unknown>;
  readonly node: string;
  readonly labels: readonly SampleLabel[];
}

interface AssetSurroundings {
  /** Ids of nodes by path. */
  readonly nodes: ReadonlyMap<string, string>;
  readonly accounts: FilledAccounts;
  /** Port of the sandboxed server. */
  readonly port: number;
}

/** Inserts the sample assets with nodes and labels. */
export async function fillAssets(
  tx: Tx,
  random: Random,
  now: Date,
  { nodes, accounts, port }: AssetSurroundings,
): Promise<readonly SampleAsset[]> {
  const machines = [
    ...PLACES.flatMap((place) => machinesOf(place, random, now, accounts)),
    ...playground(random, now, port),
  ];
  await insertRows(
    tx,
    'asset',
    machines.map(({ row }) => row),
  );
  await insertRows(
    tx,
    'node_assets',
    machines.map(({ sample, node }) => ({ node_id: nodes.get(node), asset_id: sample.id })),
  );
  await fillLabels(tx, random, now, machines);
  return machines.map(({ sample }) => sample);
}

function machinesOf(place: Place, random: Random, now: Date, accounts: FilledAccounts): Made[] {
  const administrator =
    place.kind === 'windows'
      ? 'Windows 管理'
      : place.kind === 'firewall'
        ? 'BSD admin'
        : 'Linux 管理';
  return Array.from({ length: place.count }, (_, index) => {
    const hostname = `${place.prefix}-${String(index + 1).padStart(2, '0')}`;
    const hardware = hardwareOf(random, place.kind);
    // Some are new, so the recent operate log contains their creation.
    const days = random.oneIn(5) ? random.between(1, 20) : random.between(25, 420);
    const sample = {
      id: random.uuid(),
      hostname,
      ip: `${place.network}.${11 + index}`,
      kind: place.kind,
      os: hardware.os,
      days,
      isActive: !random.oneIn(22),
    };
    const row = {
      id: sample.id,
      hostname,
      ip: sample.ip,
      protocols: PROTOCOLS[place.kind],
      is_active: sample.isActive,
      public_ip: place.kind === 'web' && index < 3 ? `203.0.113.${random.between(2, 250)}` : null,
      number: random.oneIn(3) ? null : `AS-${random.between(10_000, 99_999)}`,
      ...hardware,
      hostname_raw: hostname.toLowerCase(),
      comment: index === 0 ? `${place.comment}（01 为主）` : place.comment,
      created_by: random.pick(['林晓峰', 'Sarah Mitchell', 'Administrator']),
      date_created: daysBefore(now, days),
      admin_user_id: accounts.adminUsers.get(administrator) ?? null,
      domain_id: accounts.domains.get(place.domain ?? '') ?? null,
    };
    return { sample, row, node: pathName(place.path), labels: place.labels };
  });
}

function playground(random: Random, now: Date, port: number): Made[] {
  return PLAYGROUND_HOSTS.map((hostname) => {
    const sample = {
      id: random.uuid(),
      hostname,
      ip: '127.0.0.1',
      kind: 'playground' as const,
      os: 'Linux',
      days: 3,
      isActive: true,
    };
    const row = {
      id: sample.id,
      hostname,
      ip: sample.ip,
      protocols: [`ssh/${port}`],
      is_active: true,
      public_ip: null,
      number: null,
      vendor: null,
      model: null,
      sn: null,
      cpu_model: null,
      cpu_count: null,
      cpu_cores: null,
      cpu_vcpus: null,
      memory: null,
      disk_total: null,
      disk_info: null,
      os: null,
      os_version: null,
      os_arch: null,
      hostname_raw: null,
      platform: 'Linux',
      comment: '可以真正连接的演示主机 / a host to try for real',
      created_by: 'Administrator',
      date_created: daysBefore(now, sample.days),
      admin_user_id: null,
      domain_id: null,
    };
    return { sample, row, node: PLAYGROUND, labels: [{ name: '用途', value: '体验' }] };
  });
}

async function fillLabels(
  tx: Tx,
  random: Random,
  now: Date,
  machines: readonly Made[],
): Promise<void> {
  const labels = new Map<string, { id: string; name: string; value: string }>();
  const links: { label_id: string; asset_id: string }[] = [];
  for (const { sample, labels: labelPairs } of machines) {
    for (const { name, value } of labelPairs) {
      const key = `${name}:${value}`;
      const label = labels.get(key) ?? { id: random.uuid(), name, value };
      labels.set(key, label);
      links.push({ label_id: label.id, asset_id: sample.id });
    }
  }
  await insertRows(
    tx,
    'label',
    [...labels.values()].map((label, index) => ({
      ...label,
      category: 'U',
      is_active: true,
      comment: null,
      date_created: daysBefore(now, 200 - index * 7),
    })),
  );
  await insertRows(tx, 'label_assets', links);
}
