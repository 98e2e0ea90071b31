import { replayStorage } from '@sallyport/contract';
import { sql } from 'kysely';
import { Forbidden, invalid } from '../../platform/errors.ts';
import { hooksFor, type StoredRow, type Values } from '../../resources/hooks.ts';

/** Whether storages of a type come with the product. */
export const comesWithProduct = (type: unknown): boolean => type === 'server' || type === 'null';

/** Whether values equal those of the stored row, as in an exported file that is imported unchanged. */
export const isSame = (values: Values, row: StoredRow): boolean =>
  Object.entries(values).every(([name, value]) => value === '' || JSON.stringify(value) === JSON.stringify(row[name]));

/** The hooks of replay storages: the disk and "do not save" come with the product, buckets have what is needed to reach them. */
export const replayStorageHooks = hooksFor(replayStorage, {
  columns: {
    meta: () => sql`case when t.type in ('server', 'null') then '{}'::jsonb else jsonb_build_object('BUCKET', t.bucket, 'ENDPOINT', t.endpoint) end`,
    terminals: () => sql`(select coalesce(jsonb_agg(x.name order by x.name), '[]'::jsonb) from terminal x where x.replay_storage = t.name)`,
  },
  beforeSave(values, previous) {
    if (previous && comesWithProduct(previous.type)) {
      if (isSame(values, previous)) return;
      throw new Forbidden('storage_default');
    }
    if (comesWithProduct(values.type)) throw invalid('type', 'storage_type_internal');
    if (previous && values.type !== undefined && values.type !== previous.type) throw invalid('type', 'storage_type_fixed');
    if ((values.bucket ?? previous?.bucket ?? '') === '') throw invalid('bucket', 'required');
    if (!previous) for (const secret of ['access_key', 'secret_key'] as const) if (!values[secret]) throw invalid(secret, 'required');
  },
  beforeDelete(row) {
    if (comesWithProduct(row.type)) throw new Forbidden('storage_default');
  },
});
