import { RESOURCES, say } from '@sallyport/contract';
import { sql } from 'kysely';
import { displayName } from '../../http/actor.ts';
import type { AuditWriter, ResourceHooks } from '../../http/resource/hooks.ts';

/** Kinds that are audited without being resources of the API. */
const OTHER_KINDS: Readonly<Record<string, { en: string; zh: string }>> = {
  host_key: { en: 'Host key', zh: '主机密钥' },
  favorite_asset: { en: 'Favorite asset', zh: '收藏资产' },
};

/** Writes one entry of the operate log, in whatever transaction it is given. */
export const writeOperateLog: AuditWriter = async (tx, { actor }, entry) => {
  await sql`
    insert into operate_log (org_id, "user", action, resource_type, resource, resource_id, remote_addr, changes)
    values (${actor.organization.id}, ${displayName(actor)}, ${entry.action}, ${entry.resourceType}, ${entry.resource.slice(0, 256)},
      ${entry.resourceId}, ${actor.remoteAddress}, ${entry.changes ? JSON.stringify(entry.changes) : null}::jsonb)`.execute(tx);
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
