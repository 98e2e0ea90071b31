import { randomUUID } from 'node:crypto';
import { AUDIT_KINDS, type LocalText, operateLog, say } from '@sallyport/contract';
import { type Caller, displayName } from '../../platform/actor.ts';
import { databaseClock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import {
  type AuditEntry,
  type AuditWriter,
  hooksFor,
  type StoredRow,
} from '../../resources/hooks.ts';
import { userName } from '../../resources/relations/named-objects.ts';
import { asText, changesInWords } from './changes-in-words.ts';
import { keepCommitted } from './kept-changes.ts';

/**
 * SQL for the account in a text `Name(username)`, as a named object. Compares both: the username
 * may belong to another user today.
 */
export const namedUser = (text: Sql): Sql => sql`(
  select jsonb_build_object('resource', 'user', 'id', a.id) from account a
  where a.username = substring(${text} from '\\(([^()]+)\\)$') and ${userName('a')} = ${text})`;

const KIND_TITLES: ReadonlyMap<string, LocalText> = new Map(
  AUDIT_KINDS.map(({ name, title }) => [name, title]),
);

/** Channel that announces changed objects. The payload is a {@link ChangeNews}. */
export const CHANGES_CHANNEL = 'changes';

/** The objects of one resource that a write changed. */
export interface ChangeNews {
  readonly organization: string;
  readonly resource: string;
  /** Null if the ids exceed the size of a notification. */
  readonly ids: readonly string[] | null;
}

/** PostgreSQL limits a notification to 8,000 bytes. */
const MOST_IDS = 100;

function announcements(organization: string, entries: readonly AuditEntry[]): string[] {
  return [...Map.groupBy(entries, ({ resourceType }) => resourceType)].map(
    ([resource, changed]) => {
      const ids = [...new Set(changed.map(({ resourceId }) => resourceId))];
      const news: ChangeNews = {
        organization,
        resource,
        ids: ids.length > MOST_IDS || ids.some((id) => id.length > 36) ? null : ids,
      };
      return JSON.stringify(news);
    },
  );
}

/** Writes entries to the operate log in the given transaction. */
export const writeOperateLog: AuditWriter = async (
  tx,
  { actor: caller, requestedBy: actor = caller },
  ...entries
) => {
  if (entries.length === 0) return;
  const user = actor.username ? displayName(actor) : actor.name;
  const rows = entries.map(({ resource, resourceType, resourceId, changes, action }) => ({
    id: randomUUID(),
    action,
    resource_type: resourceType,
    resource: resource.slice(0, 256),
    resource_id: resourceId,
    changes: changes ?? null,
  }));
  // Notifies all servers at commit. A rollback sends nothing.
  await sql`
    with written as (
    insert into operate_log (id, org_id, "user", action, resource_type, resource, resource_id,
      remote_addr, changes)
    select e.id, ${actor.organization.id}, ${user}, e.action,
      e.resource_type, e.resource, e.resource_id, ${actor.remoteAddress},
      nullif(e.changes, 'null'::jsonb)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e (id uuid, action text,
      resource_type text, resource text, resource_id text, changes jsonb)
    ) select pg_notify(${CHANGES_CHANNEL}, said)
      from unnest(${announcements(actor.organization.id, entries)}::text[]) said`.execute(tx);
  // The program makes its own changes again.
  if (actor.username === '') return;
  const date = databaseClock.now();
  await keepCommitted(
    tx,
    rows.map((row) => ({
      id: row.id,
      organization: actor.organization.id,
      user,
      action: row.action,
      resourceType: row.resource_type,
      resource: row.resource,
      resourceId: row.resource_id,
      remoteAddress: actor.remoteAddress,
      changes: row.changes,
      date,
    })),
  );
};

/** Filters ids to those in the log. */
export async function usedIds(ids: readonly string[], tx: Tx): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{
    resource_id: string;
  }>`select distinct resource_id from operate_log where resource_id = any (${ids})`.execute(tx);
  return new Set(rows.map(({ resource_id }) => resource_id));
}

/** Returns the ids of changes that the logs have. */
export async function loggedChanges(ids: readonly string[], tx: Tx): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from operate_log where id = any (${[...ids]}::uuid[])
    union all select id from password_change_log where id = any (${[...ids]}::uuid[])`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** Filters by kind of object, by its name or its title. */
const byKind = (value: string): Sql => {
  const kinds = AUDIT_KINDS.filter(({ name, title }) =>
    [name, title.en, title.zh].includes(value),
  ).map(({ name }) => name);
  return sql`t.resource_type = any (${kinds.length > 0 ? kinds : [value]})`;
};

/** Writes the changes of rows in words, and the titles of their kinds. */
export const operateLogWords = {
  filters: { resource_type: byKind },
  async present(
    rows: readonly StoredRow[],
    {
      caller,
      db,
      forFile,
    }: { readonly caller: Caller; readonly db: Db; readonly forFile: boolean },
  ): Promise<void> {
    const inWords = await changesInWords(rows, caller, db);
    for (const [index, row] of rows.entries()) {
      row.changes_display = forFile ? asText(inWords[index] ?? []) : (inWords[index] ?? []);
      const title = KIND_TITLES.get(String(row.resource_type));
      if (title) row.resource_type = say(title, caller.language);
    }
  },
};

/**
 * The hooks of the operate log. Rows store the name of the resource kind. Readers see its title,
 * and can filter by both.
 */
export const operateLogHooks = hooksFor(operateLog, {
  ...operateLogWords,
  columns: {
    links: () =>
      sql`jsonb_build_object('user', ${namedUser(sql`t."user"`)}, 'resource',
        jsonb_build_object('resource', t.resource_type, 'id', t.resource_id))`,
  },
});
