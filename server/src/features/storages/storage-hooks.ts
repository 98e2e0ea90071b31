import { replayStorage } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { Forbidden, Invalid, invalid } from '../../platform/errors.ts';
import { hooksFor, type StoredRow, type Values } from '../../resources/hooks.ts';
import { type MetaFields, readMeta } from './legacy-meta.ts';

/** Returns true for the built-in types. */
export const comesWithProduct = (type: unknown): boolean => type === 'server' || type === 'null';

/** Returns true if values equal the stored row, as when an unchanged export is imported. */
export const isSame = (values: Values, row: StoredRow): boolean =>
  Object.entries(values).every(
    ([name, value]) => value === '' || JSON.stringify(value) === JSON.stringify(row[name]),
  );

const KEYS = ['access_key', 'secret_key'] as const;

/**
 * Fields required to reach a bucket of each service. Only Amazon derives the address from the
 * region.
 */
const NEEDED = {
  s3: { texts: ['bucket'], secrets: KEYS },
  swift: { texts: ['bucket', 'endpoint'], secrets: KEYS },
  azure: { texts: ['container_name', 'account_name'], secrets: ['account_key'] },
} as const;

/** The settings of each service in `meta`. The protocol of Swift is part of the endpoint. */
const META: MetaFields = {
  fields: replayStorage.fields,
  names: (type) => {
    if (comesWithProduct(type)) return [];
    if (type === 'azure')
      return ['container_name', 'account_name', 'account_key', 'endpoint_suffix'];
    return ['bucket', 'endpoint', 'region', ...KEYS];
  },
  derive(settings) {
    const [endpoint, protocol] = [settings.get('endpoint'), settings.get('protocol')];
    if (!protocol) return;
    settings.delete('protocol');
    const address = String(endpoint?.value ?? '');
    if (!/^https?$/.test(String(protocol.value)))
      throw new Invalid({
        [`meta.${protocol.key}`]: [
          { code: 'not_choice', params: { value: String(protocol.value).slice(0, 64) } },
        ],
      });
    if (endpoint && address !== '' && !address.includes('://'))
      settings.set('endpoint', { ...endpoint, value: `${protocol.value}://${address}` });
    else if (!address.startsWith(`${protocol.value}://`))
      throw new Invalid({
        [`meta.${protocol.key}`]: [{ code: 'contradicts_field', params: { field: 'endpoint' } }],
      });
  },
};

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Returns true if a body has its settings in `meta` and does not choose the addressing style. */
const isMetaOnly = (body: unknown): boolean =>
  Object.hasOwn(body as object, 'meta') && !Object.hasOwn(body as object, 'path_style');

/**
 * The hooks of replay storages. The disk and "do not save" are built in. Buckets need address and
 * keys.
 */
export const replayStorageHooks = hooksFor(replayStorage, {
  columns: {
    meta: () => sql`case
      when t.type in ('server', 'null') then '{}'::jsonb
      when t.type = 'azure' then jsonb_build_object('CONTAINER_NAME', t.container_name,
        'ACCOUNT_NAME', t.account_name, 'ENDPOINT_SUFFIX', t.endpoint_suffix)
      when t.type = 'swift' then
        jsonb_build_object('BUCKET', t.bucket, 'ENDPOINT', t.endpoint, 'REGION', t.region,
          'PROTOCOL', split_part(t.endpoint, ':', 1))
      else jsonb_build_object('BUCKET', t.bucket, 'ENDPOINT', t.endpoint) end`,
    terminals: () =>
      sql`(select coalesce(jsonb_agg(x.name order by x.name), '[]'::jsonb) from terminal x
        where x.replay_storage = t.name)`,
  },
  beforeSave(values, previous, _operation, body) {
    if (previous && comesWithProduct(previous.type)) {
      if (isSame(values, previous)) return;
      throw new Forbidden('storage_default');
    }
    if (comesWithProduct(values.type)) throw invalid('type', 'storage_type_internal');
    if (previous && values.type !== undefined && values.type !== previous.type)
      throw invalid('type', 'storage_type_fixed');
    const type = values.type ?? previous?.type;
    const nameOf = readMeta(META, values, previous, body);
    // Clients that send `meta` cannot choose the addressing style. OSS accepts the bucket only as
    // part of the host name.
    if (!previous && isMetaOnly(body)) values.path_style = type !== 'oss';
    const needed = NEEDED[type === 'azure' || type === 'swift' ? type : 's3'];
    for (const field of needed.texts)
      if ((values[field] ?? previous?.[field] ?? '') === '')
        throw invalid(nameOf(field), 'required');
    if (!previous)
      for (const secret of needed.secrets)
        if (!values[secret]) throw invalid(nameOf(secret), 'required');
    const key = values.account_key;
    if (typeof key === 'string' && key !== '' && !BASE64.test(key))
      throw invalid(nameOf('account_key'), 'storage_key_format');
  },
  beforeDelete(row) {
    if (comesWithProduct(row.type)) throw new Forbidden('storage_default');
  },
});
