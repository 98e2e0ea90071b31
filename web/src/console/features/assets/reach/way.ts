import type { assetPermission, domain, gateway, Page, Row } from '@sallyport/contract';
import { api } from '../../../../kit/api.ts';

/** A domain on the way, and its active gateways. */
export interface Hop {
  readonly id: string;
  readonly name: string;
  readonly gateways: readonly string[];
  readonly isSite: boolean;
  /** All gateways are inactive: the server refuses. Without any gateway it connects directly. */
  readonly isClosed: boolean;
}

type Gateway = Row<typeof gateway>;
interface Rule {
  readonly condition_display: Row<typeof assetPermission>['condition_display'] | null;
}

/** More domains than the server connects through. */
const MOST_HOPS = 5;

const READ = 100;

/** Returns a domain on the way with some of its gateways. */
export function hopOf(
  { id, name }: Pick<Row<typeof domain>, 'id' | 'name'>,
  gateways: readonly Pick<Gateway, 'name' | 'protocol' | 'is_active'>[],
): Hop {
  const active = gateways.filter(({ is_active: isActive }) => isActive);
  return {
    ...{ id, name, gateways: active.map((one) => one.name) },
    isSite: active.some(({ protocol }) => protocol === 'site'),
    isClosed: gateways.length > 0 && active.length === 0,
  };
}

/** Reads the domains between the bastion and an asset, the outermost first. */
export async function readHops(
  domainId: string | null,
  signal: AbortSignal,
): Promise<readonly Hop[]> {
  const hops: Hop[] = [];
  for (let next = domainId; next && hops.length < MOST_HOPS; ) {
    const options = { signal, quiet: true };
    const query = { domain: next, limit: READ };
    const [here, { results }] = await Promise.all([
      api.get<Row<typeof domain>>(`assets/domains/${next}/`, options),
      api.get<Page<Gateway>>('assets/gateways/', { ...options, query }),
    ]);
    hops.unshift(hopOf(here, results));
    next = here.through;
  }
  return hops;
}

/** Conditions of the permissions on an asset. */
export interface Conditions {
  readonly names: readonly string[];
  /** True if a permission has no condition. */
  readonly hasWithout: boolean;
}

/** Returns the conditions of permissions, each once. */
export function conditionsOf(rules: readonly Rule[]): Conditions {
  // The server sends null for a permission without a condition.
  const names = rules.map(({ condition_display: name }) => name ?? '');
  return {
    names: [...new Set(names.filter((name) => name !== ''))].toSorted(),
    hasWithout: names.includes(''),
  };
}

/** Reads the conditions of the valid permissions on an asset. */
export async function readConditions(asset: string, signal: AbortSignal): Promise<Conditions> {
  const query = { asset_id: asset, is_valid: 'true', limit: READ };
  const options = { query, signal, quiet: true };
  const { results } = await api.get<Page<Rule>>('perms/asset-permissions/', options);
  return conditionsOf(results);
}
