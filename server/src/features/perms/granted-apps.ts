import { databaseApp, type Resource, remoteApp } from '@sallyport/contract';
import { sql } from 'kysely';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { hooksFor, type ResourceServices, type Sql } from '../../resources/hooks.ts';
import { isOrIsNot } from '../../resources/list-query.ts';
import type { ListSource } from '../../resources/list-source.ts';
import { createReader, type Reader } from '../../resources/read.ts';
import { containsWords } from '../../resources/search-text.ts';
import { DATABASE_APPS, type GrantKind, REMOTE_APPS } from './grants/kind.ts';

/**
 * What users see of an application that they are granted: no certificate, and nothing of the way
 * there.
 */
const { domain, domain_display, tls, ca_certificate, ...database } = databaseApp.fields;
const { password, ...remote } = remoteApp.fields;

const GRANTED: readonly { readonly kind: GrantKind; readonly resource: Resource }[] = [
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

/** A kind of application as users read what they are granted of it. */
export interface GrantedApps {
  readonly kind: GrantKind;
  /** The path of its routes: `remote-apps`. */
  readonly path: string;
  readonly resource: Resource;
  /**
   * Finds applications by a condition over alias `t`, as the search over everything does; the
   * condition alone decides.
   */
  readonly reader: Pick<Reader, 'find'>;
  /**
   * The applications for which a condition over alias `t` holds, whatever their organization: the
   * condition alone decides.
   */
  within(condition: Sql): ListSource<Record<string, unknown>>;
}

/** The condition that an application (alias `t`) is a favorite of a user. */
const isFavoriteOf = ({ target }: GrantKind, userId: string) =>
  sql`exists (select 1 from ${sql.table(`favorite_${target}`)} marked
    where marked.user_id = ${userId} and ${sql.ref(`marked.${target}_id`)} = t.id)`;

/** The granted applications of both kinds, with the grammar of lists. */
export function grantedApps(engines: Engines, services: ResourceServices): readonly GrantedApps[] {
  return GRANTED.map(({ kind, resource }) => {
    // Grants reach over organizations; what a list shows is decided by the grants, which no request
    // can change.
    const everywhere: Resource = {
      ...resource,
      scope: 'global',
      parameters: [...(resource.parameters ?? []), 'favorite'],
    };
    const { columns } = engineOf(engines, resource).hooks;
    const hooks = hooksFor(everywhere, {
      ...(columns && { columns }),
      // The marks are the caller's own, whosesoever grants are read.
      filters: {
        favorite: (value, { actor }) =>
          isOrIsNot('favorite', value, isFavoriteOf(kind, actor.userId)),
      },
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
        stream: (query, caller, forFile) => reader.stream(query, caller, forFile, condition),
      }),
    };
  });
}
