import { replayStorage } from '@sallyport/contract';
import { sql } from 'kysely';
import { Forbidden, invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';

const comesWithProduct = (type: unknown): boolean => type === 'server' || type === 'null';

/** The hooks of replay storages: the disk and "do not save" come with the product, buckets have what is needed to reach them. */
export const replayStorageHooks = hooksFor(replayStorage, {
  columns: {
    meta: () => sql`case when t.type in ('server', 'null') then '{}'::jsonb else jsonb_build_object('BUCKET', t.bucket, 'ENDPOINT', t.endpoint) end`,
    terminals: () => sql`(select coalesce(jsonb_agg(x.name order by x.name), '[]'::jsonb) from terminal x where x.replay_storage = t.name)`,
  },
  beforeSave(values, previous) {
    if (comesWithProduct(previous?.type)) throw new Forbidden('storage_default');
    if (comesWithProduct(values.type)) throw invalid('type', 'storage_type_internal');
    if (previous && values.type !== undefined && values.type !== previous.type) throw invalid('type', 'storage_type_fixed');
    if ((values.bucket ?? previous?.bucket ?? '') === '') throw invalid('bucket', 'required');
    if (!previous) for (const secret of ['access_key', 'secret_key'] as const) if (!values[secret]) throw invalid(secret, 'required');
  },
  beforeDelete(row) {
    if (comesWithProduct(row.type)) throw new Forbidden('storage_default');
  },
});
