import type { Resource } from '@sallyport/contract';
import { type Actor, mayUse } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { AuditEntry, ResourceSource } from '../hooks.ts';
import type { KeptObject } from './kept.ts';
import { type IncomingLink, incomingLinks } from './kept-object.ts';
import { type Restoring, unlessControlled } from './restoring.ts';

/** Returns true for permissions and their parts, and for other rules of access. */
const decidesOnAccess = ({ feedsGrants, area }: Resource): boolean =>
  feedsGrants === true || area === 'permissions';

/** Links an object to those that named it: those that still exist and the caller may change. */
export async function restoreLinks(
  { mounted, registry, services }: ResourceSource,
  id: string,
  kept: KeptObject,
  { operation: { caller, tx }, missing, keepsGrants }: Restoring,
): Promise<void> {
  const links = incomingLinks(mounted.resource, registry);
  const entries: OwnerEntry[] = [];
  for (const { resource, field, ids } of kept.links) {
    const link = links.find((one) => one.owner.resource.name === resource && one.field === field);
    const linked =
      link &&
      (keepsGrants || !decidesOnAccess(link.owner.resource)) &&
      mayUse(caller.actor, link.owner.resource, 'update')
        ? await unlessControlled(tx, () =>
            insertLinks(link, mounted.resource.scope, { id, ids }, tx),
          )
        : undefined;
    if (link) entries.push(...linkEntries(link, id, linked ?? [], caller.actor));
    const present = new Set(
      linked?.map((one) => one.id) ?? (link ? await presentLinks(link, { id, ids }, tx) : []),
    );
    const lost = ids.filter((one) => !present.has(one));
    const owner = registry.get(resource)?.resource;
    const what = owner?.title ?? { en: resource, zh: resource };
    // Callers without the right to read them learn their number.
    if (owner && mayUse(caller.actor, owner, 'read'))
      missing.push(...lost.map((one) => ({ what, name: kept.names[one] ?? one })));
    else if (lost.length > 0) missing.push({ what, name: String(lost.length) });
  }
  // Owners of an account are in other organizations, whose auditors read of the change.
  const { requestedBy: actor = caller.actor } = caller;
  for (const [organization, own] of Map.groupBy(entries, (one) => one.organization)) {
    const there = { ...actor, organization: { ...actor.organization, id: organization } };
    await services.audit(tx, { actor: there }, ...own.map(({ entry }) => entry));
  }
}

interface OwnerEntry {
  readonly organization: string;
  readonly entry: AuditEntry;
}

/** Returns the log entries of the owners that name the object again. */
const linkEntries = (
  { owner: { resource }, field }: IncomingLink,
  id: string,
  owners: readonly LinkedOwner[],
  { organization }: Pick<Actor, 'organization'>,
): OwnerEntry[] =>
  owners
    .filter(({ is_added }) => is_added && resource.audited)
    .map((owner) => ({
      organization: owner.org_id ?? organization.id,
      entry: {
        action: 'update',
        resourceType: resource.name,
        resource: owner.label,
        resourceId: owner.id,
        changes: { [field]: [[], [id]] },
      },
    }));

interface Linking {
  readonly id: string;
  readonly ids: readonly string[];
}

/** An owner that names the object. */
interface LinkedOwner {
  readonly id: string;
  readonly label: string;
  /** Null for resources of the installation. */
  readonly org_id: string | null;
  /** False if it named the object before. */
  readonly is_added: boolean;
}

/** Returns the owners that name an object. Rows that follow the object can be links, too. */
async function presentLinks(
  { table, own, other }: IncomingLink,
  { id, ids }: Linking,
  tx: Tx,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select ${sql.ref(`link.${own}`)} as id from ${sql.table(table)} link
    where ${sql.ref(`link.${other}`)} = ${id}::uuid
      and ${sql.ref(`link.${own}`)} = any (${ids}::uuid[])`.execute(tx);
  return rows.map((row) => row.id);
}

/** Links an object to the existing owners, and returns these. */
async function insertLinks(
  { owner: { resource }, table, own, other }: IncomingLink,
  scope: string,
  { id, ids }: Linking,
  tx: Tx,
): Promise<readonly LinkedOwner[]> {
  // A user who is no member of an organization gets nothing of it.
  const isReached =
    scope !== 'global' || resource.scope !== 'org'
      ? sql`true`
      : sql`(t.org_id = '' or exists (select 1 from organization_member m
          where m.organization_id::text = t.org_id and m.user_id = ${id}::uuid))`;
  const { rows } = await sql<LinkedOwner>`
    with owner as (
      select t.id, ${sql.ref(`t.${resource.labelField}`)}::text as label,
        ${resource.scope === 'org' ? sql`t.org_id` : sql`null::text`} as org_id
      from ${sql.table(resource.table)} t
      where t.id = any (${ids}::uuid[]) and ${isReached} order by t.id for key share of t),
    added as (
      insert into ${sql.table(table)} (${sql.ref(own)}, ${sql.ref(other)})
      select owner.id, ${id}::uuid from owner on conflict do nothing
      returning ${sql.ref(own)} as id)
    select id, label, org_id, id in (select id from added) as is_added from owner`.execute(tx);
  return rows;
}
