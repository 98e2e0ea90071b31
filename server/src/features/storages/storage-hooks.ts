import { type Fields, parseBody, replayStorage, type TextParams } from '@sallyport/contract';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Forbidden, Invalid, invalid } from '../../platform/errors.ts';
import { hooksFor, type StoredRow, type Values } from '../../resources/hooks.ts';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members of `meta` by field name. */
type Settings = Map<string, { readonly key: string; readonly value: unknown }>;

/**
 * Reads the storage settings in `meta` by field name. Accepts keys in any case, with or without the
 * type as a prefix: `s3_bucket` or `BUCKET`.
 */
function settingsIn(meta: Readonly<Record<string, unknown>>, type: string): Settings {
  const prefix = `${type.toLowerCase()}_`;
  return new Map(
    Object.entries(meta).map(([key, value]) => {
      const name = key.toLowerCase();
      return [name.startsWith(prefix) ? name.slice(prefix.length) : name, { key, value }];
    }),
  );
}

/** Describes the settings of one kind of storage in `meta`. */
export interface MetaFields {
  readonly fields: Fields;
  /** The fields of a type in `meta`. */
  names(type: string): readonly string[];
  /**
   * Derives field values from several members, such as an address from host and protocol. Deletes
   * the members that it used.
   */
  derive?(settings: Settings): void;
}

/**
 * Reads `meta` of a body, where established clients keep the settings, into `values`. A field in
 * the body that differs from the stored value takes precedence over `meta`. Clients can therefore
 * send a stored object back with either form changed.
 * @returns the name of a field in errors
 * @throws Invalid
 */
export function readMeta(
  { fields, names, derive }: MetaFields,
  values: Values,
  previous: StoredRow | undefined,
  body: unknown,
): (field: string) => string {
  const sent = isRecord(body) ? body : {};
  if (sent.meta === undefined || sent.meta === null) return (field) => field;
  if (!isRecord(sent.meta)) throw new Invalid({ meta: [{ code: 'not_object' }] });
  const type = String(values.type ?? previous?.type ?? '');
  const settings = settingsIn(sent.meta, type);
  derive?.(settings);
  const known = names(type);
  const unknown = [...settings].filter(([name]) => !known.includes(name));
  if (unknown.length > 0)
    throw new Invalid(
      Object.fromEntries(
        unknown
          .slice(0, 20)
          .map(([, { key }]) => [`meta.${key.slice(0, 64)}`, [{ code: 'unknown_field' }]]),
      ),
    );

  const keys = new Map([...settings].map(([name, { key }]) => [name, `meta.${key}`]));
  const parsed = parseBody(
    fields,
    Object.fromEntries([...settings].map(([name, { value }]) => [name, value])),
    'change',
  );
  const problems = Object.entries(parsed.problems).map(
    ([name, list]) => [keys.get(name) ?? 'meta', list] as const,
  );
  if (problems.length > 0) throw new Invalid(Object.fromEntries(problems));
  for (const [name, value] of Object.entries(parsed.values)) {
    const isSecret = fields[name]?.kind === 'secret';
    // A blank secret keeps the stored one.
    if (isSecret && value === '') continue;
    const isStored = !isSecret && previous !== undefined && value === previous[name];
    const isGiven =
      values[name] !== undefined &&
      values[name] !== '' &&
      (isSecret || values[name] !== previous?.[name]);
    if (isGiven && !isStored && values[name] !== value)
      throw new Invalid({
        [keys.get(name) ?? 'meta']: [{ code: 'contradicts_field', params: { field: name } }],
      });
    if (!isGiven) values[name] = value;
  }
  return (field) => (sent[field] === undefined ? (keys.get(field) ?? `meta.${field}`) : field);
}

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

/** The fields that say where the objects of a storage are. */
const ADDRESS = [
  'bucket',
  'endpoint',
  'region',
  'path_style',
  'container_name',
  'account_name',
  'endpoint_suffix',
] as const;

/**
 * Opens the newest recording and the newest backup of a storage, with the settings in the
 * transaction. Returns the reason if one does not open.
 */
export type HoldsNewest = (storage: string, tx: Tx) => Promise<TextParams[string] | undefined>;

/** @throws Invalid unless the second storage of a bucket is another bucket */
async function assertSecond(tx: Tx, id: string): Promise<void> {
  const { rowCount } = await sql`
    select from replay_storage r join replay_storage s on s.id = r.second_id
    where r.id = ${id} and s.id <> r.id and s.type not in ('server', 'null')`.execute(tx);
  if (rowCount === 0) throw invalid('second', 'storage_second');
}

/** Gives all servers a storage. */
async function chooseForAll(tx: Tx, id: string): Promise<void> {
  await sql`update replay_storage set is_for_all = false where is_for_all and id <> ${id}`.execute(
    tx,
  );
  await sql`
    update terminal t set replay_storage = r.name, date_storage = now()
    from replay_storage r where r.id = ${id} and t.replay_storage <> r.name`.execute(tx);
  // Notifies the servers at commit.
  await sql`select pg_notify('terminals', '')`.execute(tx);
}

/** Tests a storage, with the settings in the transaction. Returns the reason of a failure. */
export type TestsStorage = HoldsNewest;

/** Returns true if a body has its settings in `meta` and does not choose the addressing style. */
const isMetaOnly = (body: unknown): boolean =>
  Object.hasOwn(body as object, 'meta') && !Object.hasOwn(body as object, 'path_style');

/**
 * The hooks of replay storages. The disk and "do not save" are built in. Buckets need address and
 * keys.
 */
export const replayStorageHooks = ({
  holds,
  tests,
}: {
  readonly holds: HoldsNewest;
  readonly tests: TestsStorage;
}) =>
  hooksFor(replayStorage, {
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
    async beforeSave(values, previous, _operation, body) {
      if (previous && comesWithProduct(previous.type)) {
        const { is_for_all: isForAll, ...others } = values;
        const isSameHome = isForAll === undefined || isForAll === previous.is_for_all;
        const mayChoose = isSameHome || previous.type === 'server';
        if (mayChoose && isSame(others, previous)) return;
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
    async afterSave(saved, { tx }) {
      for (const { id, values, previous } of saved) {
        const moved = ADDRESS.find(
          (field) => previous && values[field] !== undefined && values[field] !== previous[field],
        );
        const reason = moved && (await holds(id, tx));
        if (reason) throw invalid(moved, 'storage_has_recordings', { reason });
        if (values.second) await assertSecond(tx, id);
        if (values.is_for_all !== true || previous?.is_for_all === true) continue;
        const failure = await tests(id, tx);
        if (failure) throw invalid('is_for_all', 'storage_test_failed', { reason: failure });
        await chooseForAll(tx, id);
      }
    },
    beforeDelete(row) {
      if (comesWithProduct(row.type)) throw new Forbidden('storage_default');
    },
  });
