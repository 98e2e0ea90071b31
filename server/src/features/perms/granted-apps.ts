import { cluster, databaseApp, type Resource, remoteApp } from '@sallyport/contract';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { hooksFor, type ResourceServices } from '../../resources/hooks.ts';
import { isOrIsNot } from '../../resources/read/list-query.ts';
import type { ListSource } from '../../resources/read/page.ts';
import { createReader, type Reader } from '../../resources/read/reader.ts';
import { containsWords } from '../../resources/read/search.ts';
import { CLUSTERS, DATABASE_APPS, type GrantKind, REMOTE_APPS } from './grants/kind.ts';

/**
 * Fields that users see of granted applications: without certificates, passwords and the domain.
 */
const { domain, domain_display, tls, ca_certificate, ...database } = databaseApp.fields;
const { password, ...remote } = remoteApp.fields;

/** A kind of application, with the fields that users see. */
interface ShownKind {
  readonly kind: GrantKind;
  readonly resource: Resource;
}

const OWN: readonly ShownKind[] = [
  {
    kind: REMOTE_APPS,
    resource: { ...remoteApp, fields: { ...remote, comment: { ...remote.comment, filter: true } } },
  },
  {
    kind: DATABASE_APPS,
    resource: {
      ...databaseApp,
      fields: { ...database, comment: { ...database.comment, filter: true } },
    },
  },
];
const {
  tls_name,
  ca_certificate: authority,
  domain: site,
  domain_display: siteName,
  ...shown
} = cluster.fields;
const CLUSTER: readonly ShownKind[] = [
  { kind: CLUSTERS, resource: { ...cluster, fields: { ...shown } } },
];

/** Reads the granted applications of one kind. */
export interface GrantedApps {
  readonly kind: GrantKind;
  /** URL segment, such as `remote-apps`. */
  readonly path: string;
  readonly resource: Resource;
  /**
   * Finds applications by a condition over alias `t`, without an organization filter. Used by the
   * global search.
   */
  readonly reader: Pick<Reader, 'find'>;
  /** Lists applications by a condition over alias `t`, in all organizations. */
  within(condition: Sql): ListSource<Record<string, unknown>>;
}

/** The condition that an application (alias `t`) is a favorite of a user. */
const isFavoriteOf = ({ target }: GrantKind, userId: string) =>
  sql`exists (select 1 from ${sql.table(`favorite_${target}`)} favorite
    where favorite.user_id = ${userId} and ${sql.ref(`favorite.${target}_id`)} = t.id)`;

/** Returns the readers of granted remote apps and database apps. */
export const grantedApps = (engines: Engines, services: ResourceServices): readonly GrantedApps[] =>
  readersOf(OWN, engines, services);

/** Returns the reader of granted clusters. */
export const grantedClusters = (
  engines: Engines,
  services: ResourceServices,
): readonly GrantedApps[] => readersOf(CLUSTER, engines, services);

function readersOf(
  kinds: readonly ShownKind[],
  engines: Engines,
  services: ResourceServices,
): readonly GrantedApps[] {
  return kinds.map(({ kind, resource }) => {
    // Grants span organizations, so the resource has no organization scope. The condition on grants
    // limits the rows.
    const everywhere: Resource = {
      ...resource,
      scope: 'global',
      parameters: [...(resource.parameters ?? []), ...(kind === CLUSTERS ? [] : ['favorite'])],
    };
    const { columns } = engineOf(engines, resource).hooks;
    const hooks = hooksFor(everywhere, {
      ...(columns && { columns }),
      // Favorites are those of the caller, also when the grants are those of another user.
      ...(kind !== CLUSTERS && {
        filters: {
          favorite: (value, { actor }) =>
            isOrIsNot('favorite', value, isFavoriteOf(kind, actor.userId)),
        },
      }),
      search: (words) =>
        sql`${sql.join(
          containsWords(words, sql`lower(t.name || ' ' || t.comment)`, false),
          sql`
          and `,
        )}`,
    });
    const reader = createReader({ resource: everywhere, hooks }, engines, services);
    return {
      kind,
      path: `${kind.target.replace('_', '-')}s`,
      resource: everywhere,
      reader,
      within: (condition) => ({
        resource: everywhere,
        list: (query, caller) => reader.list(query, caller, condition),
        stream: (query, caller, forFile) =>
          reader.stream(query, caller, forFile, { within: condition }),
      }),
    };
  });
}
