import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { command, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { parameter, route } from '../../http/route.ts';
import { fileOf } from '../../http/shapes.ts';
import type { Sealer } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { notFound } from '../../platform/errors.ts';
import { inSlices, type Sliced } from '../../platform/slices.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';

/** Characters of a sealed part. */
const PART = 64 * 1024;

const contextOf = (id: string) => `undo_script.content.${id}`;

interface UndoStore {
  readonly db: Db;
  readonly vault: Sealer;
}

/** Cuts a text into parts, never within a surrogate pair. */
function* partsOf(text: string): Generator<string, void> {
  for (let from = 0; from < text.length; ) {
    const next = text.codePointAt(from + PART - 1) ?? 0;
    const to = from + PART + (next > 0xffff ? 1 : 0);
    yield text.slice(from, to);
    from = to;
  }
}

function* sealParts(script: string, text: string, vault: Sealer): Sliced<[string[], string[]]> {
  const sealed: [ids: string[], contents: string[]] = [[], []];
  for (const part of partsOf(text)) {
    const id = `${script}.${sealed[0].length}`;
    sealed[0].push(id);
    sealed[1].push(vault.seal(part, contextOf(id)));
    yield;
  }
  return sealed;
}

/** Stores, keeps, drops and reads undo scripts. */
export function createUndoScripts({ db, vault }: UndoStore) {
  return {
    /** Stores a script without its statement. Returns its id. */
    async add(session: string, { rows, text }: { readonly rows: number; readonly text: string }) {
      const script = randomUUID();
      const [ids, contents] = await inSlices(sealParts(script, text, vault));
      await sql`
        insert into undo_script (id, script, number, session, row_count, content)
        select id, ${script}, number - 1, ${session}, ${rows}, content
          from unnest(${ids}::text[], ${contents}::text[]) with ordinality as part (id, content, number)`.execute(
        db,
      );
      return script;
    },
    /** Makes a script part of a statement. */
    async keep(script: string, sequence: number): Promise<void> {
      const { rowCount } = await sql`
        update undo_script set sequence = ${sequence} where script = ${script}`.execute(db);
      if (rowCount === 0) throw new Error('the undo script no longer exists');
    },
    /** Deletes scripts without statement. */
    async drop(scripts: readonly string[]): Promise<void> {
      await sql`
        delete from undo_script where script = any (${scripts}::uuid[]) and sequence is null`.execute(
        db,
      );
    },
    /** Reads a kept script of a session in parts. */
    async *read(session: string, script: string): AsyncGenerator<string, void> {
      for (let number = 0; ; number++) {
        const { rows } = await sql<{ id: string; content: string }>`
          select id, content from undo_script where script = ${script} and number = ${number}
            and session = ${session} and sequence is not null`.execute(db);
        const [part] = rows;
        if (!part) return;
        yield vault.open(part.content, contextOf(part.id));
      }
    },
  };
}

export type StoredUndoScripts = ReturnType<typeof createUndoScripts>;

/** Mounts the download of the undo script of a statement. */
export function mountUndoScripts(
  app: FastifyInstance,
  {
    db,
    engines,
    audit,
    undoScripts,
  }: {
    readonly db: Db;
    readonly engines: Engines;
    readonly audit: AuditWriter;
    readonly undoScripts: StoredUndoScripts;
  },
): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/terminal/commands/:id/undo-script/',
    access: Permission.AUDIT,
    area: 'logs',
    summary:
      'The undo script of an UPDATE or DELETE: SQL that restores the old values of its rows. The operate log gets an entry.',
    answer: fileOf('application/sql', 'begin;\ncommit;\n'),
    async handler(context) {
      const row = await engineOf(engines, command).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      const session = String(row.session);
      const { rows } = await sql<{ script: string }>`
        select script from undo_script where session = ${session}
          and sequence = ${Number(row.sequence)} and number = 0`.execute(db);
      const [found] = rows;
      if (!found) throw notFound();
      await audit(db, context, {
        action: 'view',
        resourceType: 'undo_script',
        resource: `${row.user} → ${row.asset}`,
        resourceId: String(row.id),
      });
      context.reply
        .header('content-type', 'application/sql; charset=utf-8')
        .header('cache-control', 'private, no-store')
        .header('content-disposition', `attachment; filename="undo-${row.id}.sql"`);
      return Readable.from(undoScripts.read(session, found.script));
    },
  });
}
