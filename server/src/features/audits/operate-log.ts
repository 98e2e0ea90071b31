import { RESOURCES, say } from '@sallyport/contract';
import { sql } from 'kysely';
import { displayName } from '../../http/actor.ts';
import type { AuditWriter, Author, ResourceHooks } from '../../http/resource/hooks.ts';
import { DEFAULT_ORGANIZATION } from '../orgs/service.ts';

/** Kinds that are audited without being resources of the API. */
const OTHER_KINDS: Readonly<Record<string, { en: string; zh: string }>> = {
  host_key: { en: 'Host key', zh: '主机密钥' },
  license: { en: 'License', zh: '许可证' },
  interface: { en: 'Interface', zh: '界面设置' },
  setting: { en: 'Setting', zh: '系统设置' },
  favorite_asset: { en: 'Favorite asset', zh: '收藏资产' },
};

/** A service that changes accounts by itself: a directory or provider, asked from an address or of our own accord. */
export const serviceAuthor = (name: 'LDAP' | 'OpenID', remoteAddress = ''): { readonly actor: Author } => ({
  actor: { name, username: '', organization: DEFAULT_ORGANIZATION, remoteAddress },
});

/** Writes entries of the operate log, in whatever transaction it is given. */
export const writeOperateLog: AuditWriter = async (tx, { actor }, ...entries) => {
  if (entries.length === 0) return;
  const rows = entries.map(({ resource, resourceType, resourceId, changes, action }) => ({
    action,
    resource_type: resourceType,
    resource: resource.slice(0, 256),
    resource_id: resourceId,
    changes: changes ?? null,
  }));
  await sql`
    insert into operate_log (org_id, "user", action, resource_type, resource, resource_id, remote_addr, changes)
    select ${actor.organization.id}, ${actor.username ? displayName(actor) : actor.name}, e.action, e.resource_type, e.resource, e.resource_id, ${actor.remoteAddress}, nullif(e.changes, 'null'::jsonb)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e (action text, resource_type text, resource text, resource_id text, changes jsonb)`.execute(tx);
};

/** Kinds are stored by their stable names and shown in the reader's language. */
export const operateLogHooks: ResourceHooks = {
  present(rows, { language }) {
    for (const row of rows) {
      const kind = String(row.resource_type);
      const title = RESOURCES.find((resource) => resource.name === kind)?.title ?? OTHER_KINDS[kind];
      if (title) row.resource_type = say(title, language);
    }
  },
};
