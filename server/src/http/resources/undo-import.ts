import { type ImportToUndo, isUuid, Permission, type Resource, say, type UndoneImport } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import type { Engines, ResourceEngine } from '../../resources/engines.ts';
import { findImport, forgetImport, type Import, usedSince } from '../../resources/imported-rows.ts';
import type { Context } from '../context.ts';
import { exampleId } from '../openapi/examples.ts';
import { assertAccess, parameter, route } from '../route.ts';
import { samples } from '../shapes.ts';

/** Names of rows that stay, at the most; their number is always there. */
const MAX_NAMES = 20;
const URL = '/api/v1/common/imports/:id/';
const KEPT = { kept: 1, kept_names: ['web-prod-01'] };

/** Taking back what a file made: what would go, and doing it. Rows that were changed or used meanwhile stay. */
export function mountUndoImport(app: FastifyInstance, engines: Engines, db: Db): void {
  const find = async (context: Context): Promise<{ made: Import; engine: ResourceEngine; ids: readonly string[]; names: ReadonlyMap<string, string> }> => {
    const id = parameter(context, 'id');
    const made = isUuid(id) ? await findImport(id, context, db) : undefined;
    const engine = made && engines.get(made.resource);
    if (!made || !engine) throw notFound();
    const { delete: needed } = engine.resource.access;
    if (needed === undefined) throw notFound();
    assertAccess(needed, context.actor, context.language);
    // Rows that were deleted since are none of it any more.
    const rows = await engine.reader.rows(made.ids, context);
    return {
      made,
      engine,
      ids: rows.map((row) => String(row.id)),
      names: new Map(rows.map((row) => [String(row.id), String(row[engine.resource.labelField])])),
    };
  };
  const keptOf = (used: ReadonlySet<string>, names: ReadonlyMap<string, string>) => ({
    kept: used.size,
    kept_names: [...used].slice(0, MAX_NAMES).map((id) => names.get(id) ?? id),
  });
  const titleOf = ({ title }: Resource, { language }: Context) => say(title, language);

  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.USE,
    summary: 'What an import of the caller made and undoing it would delete.',
    answer: samples<ImportToUndo>({ id: exampleId('job'), resource: 'asset', resource_display: 'Asset', count: 197, ...KEPT }),
    async handler(context): Promise<ImportToUndo> {
      const { made, engine, ids, names } = await find(context);
      const used = await usedSince(made, engine.resource, ids, db);
      return {
        id: made.id,
        resource: made.resource,
        resource_display: titleOf(engine.resource, context),
        count: ids.length - used.size,
        ...keptOf(used, names),
      };
    },
  });

  route(app, {
    method: 'POST',
    url: `${URL}undo/`,
    access: Permission.USE,
    summary: 'Delete what an import of the caller made; what was changed or used since stays.',
    answer: samples<UndoneImport>({ removed: 197, ...KEPT }),
    async handler(context): Promise<UndoneImport> {
      const { made, engine, ids, names } = await find(context);
      let used: ReadonlySet<string> = new Set();
      await engine.writer.remove(ids, context, {
        async spared(locked, { tx }) {
          used = await usedSince(made, engine.resource, locked, tx);
          return used;
        },
      });
      await forgetImport(made.id, db);
      return { removed: ids.length - used.size, ...keptOf(used, names) };
    },
  });
}
