import { AUDIT_KINDS, type LocalText, say } from '@sallyport/contract';
import { sql } from 'kysely';
import { displayName } from '../../http/actor.ts';
import type { AuditWriter, Author, ResourceHooks } from '../../http/resource/hooks.ts';
import { DEFAULT_ORGANIZATION } from '../orgs/service.ts';
import { asText, changesInWords } from './changes-in-words.ts';

const KIND_TITLES: ReadonlyMap<string, LocalText> = new Map(AUDIT_KINDS.map(({ name, title }) => [name, title]));

/** What changes accounts without being one: a directory or provider, asked from an address or of our own accord, and the operator's commands. */
export const serviceAuthor = (name: 'LDAP' | 'OpenID' | 'System', remoteAddress = ''): { readonly actor: Author } => ({
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

/** Kinds are stored by their stable names, and shown in the reader's language; they are found by either. */
export const operateLogHooks: ResourceHooks = {
  filters: {
    resource_type: (value) => {
      const named = AUDIT_KINDS.filter(({ name, title }) => [name, title.en, title.zh].includes(value)).map(({ name }) => name);
      return sql`t.resource_type = any (${named.length > 0 ? named : [value]})`;
    },
  },
  async present(rows, context, db) {
    const inWords = await changesInWords(rows, context, db);
    const isFile = context.query.get('format') === 'csv';
    for (const [index, row] of rows.entries()) {
      row.changes_display = isFile ? asText(inWords[index] ?? []) : (inWords[index] ?? []);
      const title = KIND_TITLES.get(String(row.resource_type));
      if (title) row.resource_type = say(title, context.language);
    }
  },
};
