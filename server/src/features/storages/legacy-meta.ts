import { type Fields, parseBody } from '@sallyport/contract';
import { Invalid } from '../../platform/errors.ts';
import type { StoredRow, Values } from '../../resources/hooks.ts';

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
