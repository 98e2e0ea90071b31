import { platform } from '@sallyport/contract';
import { Forbidden } from '../../platform/errors.ts';
import { hooksFor, type StoredRow, type Values } from '../../resources/hooks.ts';

/** Returns true if values equal those of the stored row, as in an import of an unchanged export. */
const isSame = (values: Values, row: StoredRow): boolean =>
  Object.entries(values).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(row[name]),
  );

/** Internal platforms are read-only: they come with the product, and other parts rely on them. */
export const platformHooks = hooksFor(platform, {
  beforeSave(values, previous) {
    if (previous?.internal === true && !isSame(values, previous))
      throw new Forbidden('object_protected');
  },
  beforeDelete(row) {
    if (row.internal === true) throw new Forbidden('object_protected');
  },
});
