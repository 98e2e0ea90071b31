import { node } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { transact } from '../../platform/db/retry.ts';
import type { AuditWriter, ResourceServices } from '../../resources/hooks.ts';
import { lockNode, type PlacedAssets, placeAssets } from './tree.ts';

interface PlacingOptions {
  readonly db: Db;
  readonly audit: AuditWriter;
  readonly lockGrants: ResourceServices['lockGrants'];
}

/**
 * Adds assets to a node of the caller's organization or removes them, and logs the operation.
 * @throws NotFound, Invalid
 */
export function placeOnNode(
  { db, audit, lockGrants }: PlacingOptions,
  nodeId: string,
  placed: PlacedAssets,
  caller: Caller,
): Promise<void> {
  return transact(db, async (tx) => {
    await lockGrants(node, tx);
    const target = await lockNode(nodeId, caller, tx);
    await placeAssets(target, placed, caller, tx);
    await audit(tx, caller, {
      action: 'update',
      resourceType: 'node',
      resource: target.value,
      resourceId: target.id,
      changes: { [`assets_${placed.placement}`]: [null, placed.assets] },
    });
  });
}
