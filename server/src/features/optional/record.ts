import type { FeatureName } from '@sallyport/contract';
import { systemCaller } from '../../platform/actor.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { AuditWriter } from '../../resources/hooks.ts';

const NAME = 'FEATURES_OFF';

interface Services {
  readonly db: Db;
  readonly settings: Pick<SettingsService, 'read' | 'store'>;
  readonly audit: AuditWriter;
}

const listOf = (names: string): readonly string[] => (names === '' ? [] : names.split(','));

/** Writes an entry of the operate log if other features are off than at the last start. */
export async function recordFeatures(
  { db, settings, audit }: Services,
  off: readonly FeatureName[],
): Promise<void> {
  await transact(db, async (tx) => {
    const before = (await settings.read(tx))[NAME];
    const after = off.toSorted().join();
    if (before === after) return;
    await settings.store({ [NAME]: after }, tx);
    await audit(tx, systemCaller('System'), {
      action: 'update',
      resourceType: 'setting',
      resource: NAME,
      resourceId: '',
      changes: { features_off: [listOf(before), listOf(after)] },
    });
  });
}
