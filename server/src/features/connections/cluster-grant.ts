import { clusterActionsOf, clusterVerbsOf } from '@sallyport/contract';
import type { Grant } from '../../gateway/ports/grant.ts';
import type { Arriving } from '../../gateway/ports/people.ts';
import { Refusal } from '../../gateway/refusal.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { CLUSTERS, checkApp } from '../perms/index.ts';
import { accountPart } from './account-part.ts';
import { connectionTerms, judged } from './permission-terms.ts';

interface ClusterRow {
  name: string;
  host: string;
  port: number;
  tls_name: string;
  ca_certificate: string;
  org_id: string;
  username: string;
}

interface ClusterRuleRow {
  kube_user: string;
  kube_groups: string;
  namespaces: string;
  verbs: number;
  actions: number;
  kinds: string;
  date_expired: Date;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Grant for a cluster, with the terms of the permissions whose conditions hold. */
export async function clusterGrant(
  db: Db,
  person: Arriving,
  appId: string,
  systemUserId: string,
): Promise<Grant> {
  const { userId } = person;
  const { account, changesAt } = await judged(
    db,
    person,
    await checkApp(CLUSTERS, { userId, appId, systemUserId }, db),
  );
  const { rows } = await sql<ClusterRow>`
    select c.name, c.host, c.port, c.tls_name, c.ca_certificate, c.org_id, a.username
    from cluster c join account a on a.id = ${userId} where c.id = ${appId}`.execute(db);
  const [row] = rows;
  if (!row) throw new Refusal('connect_denied');
  const rules = await sql<ClusterRuleRow>`
    select kube_user, kube_groups, namespaces, verbs, actions, kinds, date_expired
    from cluster_permission where id = any (${account.rules}::uuid[]) order by id`.execute(db);
  // A request may depend on one permission among several: check again when the first one ends.
  const changes = Math.min(
    changesAt.changesAt?.getTime() ?? Number.POSITIVE_INFINITY,
    ...rules.rows.map((rule) => rule.date_expired.getTime()),
  );
  return {
    cluster: {
      tlsName: row.tls_name || row.host,
      account: account.name,
      authority: row.ca_certificate,
      rules: rules.rows.map((rule) => ({
        user: rule.kube_user.replaceAll('{username}', row.username),
        groups: linesOf(rule.kube_groups),
        namespaces: linesOf(rule.namespaces),
        verbs: clusterVerbsOf(rule.verbs),
        actions: clusterActionsOf(rule.actions),
        kinds: linesOf(rule.kinds),
      })),
    },
    asset: {
      id: appId,
      hostname: row.name,
      ip: row.host,
      port: row.port,
      orgId: row.org_id,
      charset: 'utf8',
    },
    ...(await accountPart(db, account, userId, 'kubernetes')),
    ...(await connectionTerms(db, account.rules, 'cluster_permission')),
    ...(Number.isFinite(changes) && { changesAt: new Date(changes) }),
  };
}
