import {
  type ImportToUndo,
  isUuid,
  node,
  Permission,
  type Resource,
  say,
  type UndoneImport,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { mayUse } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { Forbidden, NotFound, notFound } from '../../platform/errors.ts';
import { type Engines, engineOf, type ResourceEngine } from '../../resources/engines.ts';
import {
  findImport,
  forgetImport,
  type Import,
  usedSince,
} from '../../resources/write/imported-rows.ts';
import type { Context } from '../context.ts';
import { exampleId } from '../openapi/examples.ts';
import { assertAccess, parameter, route } from '../route.ts';
import { samples } from '../shapes.ts';

/** Maximum names of kept rows in an answer; their count is always complete. */
const MAX_NAMES = 20;
const URL = '/api/v1/common/imports/:id/';
const keptOf = (used: ReadonlySet<string>, names: ReadonlyMap<string, string>) => ({
  kept: used.size,
  kept_names: [...used].slice(0, MAX_NAMES).map((id) => names.get(id) ?? id),
});
const titleOf = ({ title }: Resource, { language }: Context) => say(title, language);

interface UndoOptions {
  readonly engines: Engines;
  readonly db: Db;
}

const KEPT = { kept: 1, kept_names: ['web-prod-01'] };

async function findOwn(
  { engines, db }: UndoOptions,
  context: Context,
): Promise<{
  import_: Import;
  engine: ResourceEngine;
  ids: readonly string[];
  names: ReadonlyMap<string, string>;
}> {
  const id = parameter(context, 'id');
  const import_ = isUuid(id) ? await findImport(id, context, db) : undefined;
  const engine = import_ && engines.get(import_.resource);
  if (!import_ || !engine) throw notFound();
  const { delete: needed } = engine.resource.access;
  if (needed === undefined) throw notFound();
  assertAccess(needed, context.actor, context.language);
  // Leave out rows that were deleted since the import.
  const rows = await engine.reader.rows(import_.ids, context);
  return {
    import_: import_,
    engine,
    ids: rows.map((row) => String(row.id)),
    names: new Map(rows.map((row) => [String(row.id), String(row[engine.resource.labelField])])),
  };
}

/**
 * Returns existing nodes of the import, children first; none if the caller may not delete nodes.
 */
async function nodesOf(engines: Engines, { nodes }: Import, context: Context): Promise<string[]> {
  const { reader, resource } = engineOf(engines, node);
  if (nodes.length === 0 || !mayUse(context.actor, resource, 'delete')) return [];
  const there = new Set((await reader.rows(nodes, context)).map((row) => String(row.id)));
  return nodes.filter((id) => there.has(id)).toReversed();
}

/** Deletes a node if it is empty. Returns false otherwise. */
async function removeIfEmpty(engines: Engines, id: string, context: Context): Promise<boolean> {
  try {
    await engineOf(engines, node).writer.remove([id], context);
    return true;
  } catch (error) {
    if (error instanceof Forbidden || error instanceof NotFound) return false;
    throw error;
  }
}

/** Mounts the preview and the undo of an import. Rows that changed or are in use stay. */
export function mountUndoImport(app: FastifyInstance, engines: Engines, db: Db): void {
  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.USE,
    summary: 'List the objects of an import of the caller that undoing it would delete.',
    answer: samples<ImportToUndo>({
      id: exampleId('job'),
      resource: 'asset',
      resource_display: 'Asset',
      count: 197,
      nodes: 2,
      ...KEPT,
    }),
    async handler(context): Promise<ImportToUndo> {
      const { import_, engine, ids, names } = await findOwn({ engines, db }, context);
      const used = await usedSince(import_, engine.resource, ids, db);
      return {
        id: import_.id,
        resource: import_.resource,
        resource_display: titleOf(engine.resource, context),
        count: ids.length - used.size,
        nodes: (await nodesOf(engines, import_, context)).length,
        ...keptOf(used, names),
      };
    },
  });

  route(app, {
    method: 'POST',
    url: `${URL}undo/`,
    access: Permission.USE,
    summary:
      'Delete the objects that an import of the caller created, and its empty nodes. Objects that were changed or used since stay.',
    answer: samples<UndoneImport>({ removed: 197, removed_nodes: 2, ...KEPT }),
    async handler(context): Promise<UndoneImport> {
      const { import_, engine, ids, names } = await findOwn({ engines, db }, context);
      let used: ReadonlySet<string> = new Set();
      await engine.writer.remove(ids, context, {
        async spared(locked, { tx }) {
          used = await usedSince(import_, engine.resource, locked, tx);
          return used;
        },
      });
      let removedNodes = 0;
      for (const id of await nodesOf(engines, import_, context))
        if (await removeIfEmpty(engines, id, context)) removedNodes += 1;
      await forgetImport(import_.id, db);
      return {
        removed: ids.length - used.size,
        removed_nodes: removedNodes,
        ...keptOf(used, names),
      };
    },
  });
}
