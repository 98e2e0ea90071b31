import {
  choice,
  formatDatetime,
  PROVIDER_SOURCES,
  type ProviderLink,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { invalid } from '../../../platform/errors.ts';
import { SUPER } from '../../../platform/settings/service.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';

/** Kinds of providers that accounts are linked to. */
export const SOURCE = choice({
  label: { en: 'Source', zh: '来源' },
  choices: PROVIDER_SOURCES.map((value) => ({ value, label: { en: value, zh: value } })),
});
/** Name of one provider of a kind. */
export const ISSUER = text({
  label: { en: 'Identity provider', zh: '身份提供方' },
  max: 2_048,
  example: 'https://login.example.com',
});
const LINK: ProviderLink = {
  issuer: 'https://login.example.com',
  accounts: 42,
  date_used: '2026-01-31 08:30:00 +0800',
};

/**
 * Routes that list identity providers with linked accounts, and unlink all accounts of one. A
 * provider that changes its name has new identities for the same users.
 */
export function mountProviderLinks(
  app: FastifyInstance,
  { db, audit }: { readonly db: Db; readonly audit: AuditWriter },
): void {
  const url = '/api/v1/settings/providers/accounts/';
  const sourceIn = (query: URLSearchParams) => {
    const source = PROVIDER_SOURCES.find((one) => one === query.get('source'));
    if (!source)
      throw invalid('source', 'not_choice', { value: (query.get('source') ?? '').slice(0, 64) });
    return source;
  };

  route(app, {
    method: 'GET',
    url,
    access: SUPER,
    area: 'security',
    summary: 'The identity providers of a source with the number of linked accounts.',
    query: { source: SOURCE },
    answer: samples<ProviderLink[]>([LINK]),
    async handler({ query, zone }): Promise<ProviderLink[]> {
      const { rows } = await sql<{ issuer: string; accounts: number; used: Date }>`
        select issuer, count(*)::int as accounts, max(date_used) as used
        from external_identity where source = ${sourceIn(query)}
        group by 1 order by 3 desc limit 100`.execute(db);
      return rows.map(({ issuer, accounts, used }) => ({
        issuer,
        accounts,
        date_used: formatDatetime(used, zone),
      }));
    },
  });
  route(app, {
    method: 'DELETE',
    url,
    access: SUPER,
    area: 'security',
    summary:
      'Unlink all accounts from an identity provider. At the next sign-in an account is linked again to the user who has its name there.',
    query: { source: SOURCE, issuer: ISSUER },
    answer: samples({ unlinked: 42 }),
    async handler(context): Promise<{ unlinked: number }> {
      const { query } = context;
      const [source, issuer] = [sourceIn(query), query.get('issuer') ?? ''];
      return db.transaction(async (tx) => {
        const { rowCount } =
          await sql`delete from external_identity where source = ${source} and issuer = ${issuer}`.execute(
            tx,
          );
        const unlinked = rowCount;
        if (unlinked === 0) return { unlinked };
        const changes = { accounts: [unlinked, 0] as const };
        await audit(tx, context, {
          action: 'delete',
          resourceType: 'provider_link',
          resource: `${source} ${issuer}`.slice(0, 256),
          resourceId: '',
          changes,
        });
        return { unlinked };
      });
    },
  });
}
