import {
  allows,
  type ImportToUndo,
  isUuid,
  node,
  Permission,
  type Resource,
  say,
  type UndoneImport,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Db } from '../../platform/db/database.ts';
import { Forbidden, NotFound, notFound } from '../../platform/errors.ts';
import { type Engines, engineOf, type ResourceEngine } from '../../resources/engines.ts';
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
  const find = async (
    context: Context,
  ): Promise<{
    made: Import;
    engine: ResourceEngine;
    ids: readonly string[];
    names: ReadonlyMap<string, string>;
  }> => {
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
  /** The nodes that the import made and that are there, those below first; none for those who may not delete nodes. */
  const nodesOf = async ({ nodes }: Import, context: Context): Promise<string[]> => {
    const { reader, resource } = engineOf(engines, node);
    const { delete: needed } = resource.access;
    if (nodes.length === 0 || needed === undefined || !allows(context.actor.permissions, needed))
      return [];
    const there = new Set((await reader.rows(nodes, context)).map((row) => String(row.id)));
    return nodes.filter((id) => there.has(id)).toReversed();
  };
  /** Deletes a node unless something is in it by now. */
  const removeIfEmpty = async (id: string, context: Context): Promise<boolean> => {
    try {
      await engineOf(engines, node).writer.remove([id], context);
      return true;
    } catch (error) {
      if (error instanceof Forbidden || error instanceof NotFound) return false;
      throw error;
    }
  };
  const titleOf = ({ title }: Resource, { language }: Context) => say(title, language);

  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.USE,
    summary: 'What an import of the caller made and undoing it would delete.',
    answer: samples<ImportToUndo>({
      id: exampleId('job'),
      resource: 'asset',
      resource_display: 'Asset',
      count: 197,
      nodes: 2,
      ...KEPT,
    }),
    async handler(context): Promise<ImportToUndo> {
      const { made, engine, ids, names } = await find(context);
      const used = await usedSince(made, engine.resource, ids, db);
      return {
        id: made.id,
        resource: made.resource,
        resource_display: titleOf(engine.resource, context),
        count: ids.length - used.size,
        nodes: (await nodesOf(made, context)).length,
        ...keptOf(used, names),
      };
    },
  });

  route(app, {
    method: 'POST',
    url: `${URL}undo/`,
    access: Permission.USE,
    summary:
      'Delete what an import of the caller made, and the nodes that it made as far as they are empty then; what was changed or used since stays.',
    answer: samples<UndoneImport>({ removed: 197, removed_nodes: 2, ...KEPT }),
    async handler(context): Promise<UndoneImport> {
      const { made, engine, ids, names } = await find(context);
      let used: ReadonlySet<string> = new Set();
      await engine.writer.remove(ids, context, {
        async spared(locked, { tx }) {
          used = await usedSince(made, engine.resource, locked, tx);
          return used;
        },
      });
      let removedNodes = 0;
      for (const id of await nodesOf(made, context))
        if (await removeIfEmpty(id, context)) removedNodes += 1;
      await forgetImport(made.id, db);
      return {
        removed: ids.length - used.size,
        removed_nodes: removedNodes,
        ...keptOf(used, names),
      };
    },
  });
}
