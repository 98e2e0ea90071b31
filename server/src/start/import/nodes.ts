import { isUuid } from '@sallyport/contract';
import { findOrAddNode, rootOf } from '../../features/assets/index.ts';
import { AppError } from '../../platform/errors.ts';
import type { SourceObject } from './description.ts';
import { describeError, type ImportRun } from './run.ts';

/**
 * Writes the nodes of an organization, parents first. The root of the source is the root of the
 * organization, whatever its name is.
 */
export async function saveNodes(objects: readonly SourceObject[], run: ImportRun): Promise<void> {
  const { tx, links, report, callerOf, services, savepoint } = run;
  const paths = new Map<string, string>();
  for (const object of objects) {
    const caller = callerOf(object);
    if (!caller) {
      report.add('refused', object, 'its organization was not imported');
      continue;
    }
    if (object.parent === undefined) {
      const root = await rootOf(caller.actor.organization, tx);
      links.set('node', object.id, root.id);
      paths.set(object.id, root.value);
      report.add('same', object);
      continue;
    }
    const parent = links.find('node', object.parent);
    if (parent === undefined) {
      report.add('refused', object, 'the node above was not imported');
      continue;
    }
    const path = `${paths.get(object.parent)} / ${object.name}`;
    paths.set(object.id, path);
    try {
      const { id, isNew } = await savepoint(async () => {
        const used = await services.usedIds([object.id].filter(isUuid), tx);
        const freeId = isUuid(object.id) && !used.has(object.id) ? object.id : undefined;
        return findOrAddNode(
          { parent, value: object.name, path, id: freeId },
          { caller, tx, audit: services.audit },
        );
      });
      links.set('node', object.id, id);
      report.add(isNew ? 'new' : 'same', object);
      if (isNew) run.remember(object, id, caller, null);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      report.add('refused', object, describeError(error));
    }
  }
}
