import {
  asset,
  DATABASE_TYPES,
  databaseApp,
  type Language,
  type LocalText,
  label,
  node,
  platform,
  type Row,
} from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { engineSource, type Related, readRelated } from './engine-source.ts';
import type { Filter, LaterRow, Source } from './lists.ts';
import {
  connectivityOf,
  type Labelled,
  labelled,
  labelledBy,
  organizationOf,
  protocolsOf,
} from './values.ts';

const CATEGORIES = {
  host: { en: 'Host', zh: '主机' },
  database: { en: 'Database', zh: '数据库' },
} as const satisfies Record<string, LocalText>;

/** Types of hosts in versions 3 and 4, and our bases of platforms. */
const HOST_TYPES: Readonly<
  Record<string, { readonly label: LocalText; readonly bases: readonly string[] }>
> = {
  linux: { label: { en: 'Linux', zh: 'Linux' }, bases: ['Linux'] },
  windows: { label: { en: 'Windows', zh: 'Windows' }, bases: ['Windows'] },
  unix: { label: { en: 'Unix', zh: 'Unix' }, bases: ['Unix', 'MacOS', 'BSD'] },
  other: { label: { en: 'Other', zh: '其他' }, bases: ['Other'] },
};

/** Returns category and type of a host by the base of its platform. */
export function kindOfHost(base: unknown, language: Language) {
  const [value = 'other', type] =
    Object.entries(HOST_TYPES).find(([, { bases }]) => bases.includes(String(base))) ?? [];
  return {
    category: labelledBy(CATEGORIES, 'host', language),
    type: type ? labelledBy({ [value]: type.label }, value, language) : { value, label: value },
  };
}

/** Returns category, type and platform of a database. */
export function kindOfDatabase(type: unknown, language: Language) {
  const value = String(type);
  const title = DATABASE_TYPES.find((one) => one.value === value)?.label.en ?? value;
  return {
    category: labelledBy(CATEGORIES, 'database', language),
    type: { value, label: title } satisfies Labelled,
    // Databases have no platform here, so the type is named as the platform.
    platform: { id: value, name: title },
  };
}

const objectOf = (id: string | null, name: unknown) =>
  id ? { id, name: String(name ?? '') } : null;
const listOf = <T>(ids: readonly string[], known: Related | undefined, to: (row: LaterRow) => T) =>
  ids.flatMap((id) => {
    const row = known?.get(id);
    return row ? [to(row)] : [];
  });
const isOneOf =
  (...values: readonly string[]): Filter =>
  (value) =>
    values.includes(value);

/** The condition that a host whose platform has the name `column` is of a type. */
export const isTypeOfHost =
  (column: Sql): Filter =>
  (value) => {
    const type = Object.hasOwn(HOST_TYPES, value) ? HOST_TYPES[value] : undefined;
    return type
      ? sql`${column} in (select p.name from platform p where p.base = any (${type.bases}))`
      : false;
  };

/** The condition that the platform with the name `column` has an id, a name or a base. */
export const isPlatformOfHost =
  (column: Sql): Filter =>
  (value) =>
    sql`${column} in (select p.name from platform p
      where ${value} in (p.id::text, p.name, p.base))`;

/** Presents an asset of version 2.1 as a host. */
function toHost(
  row: Row<typeof asset>,
  related: Readonly<Record<string, Related>>,
  language: Language,
): LaterRow {
  const system = related.platforms?.get(row.platform);
  const zone = objectOf(row.domain, row.domain_display);
  return {
    id: row.id,
    name: row.hostname,
    address: row.ip,
    ...kindOfHost(system?.base, language),
    platform: { id: String(system?.id ?? row.platform), name: row.platform },
    protocols: protocolsOf(row.protocols),
    nodes: listOf(row.nodes, related.nodes, ({ id, value }) => ({ id, name: value })),
    nodes_display: listOf(row.nodes, related.nodes, ({ full_value }) => full_value),
    labels: listOf(row.labels, related.labels, ({ id, name, value }) => ({ id, name, value })),
    domain: zone,
    zone,
    is_active: row.is_active,
    connectivity: connectivityOf(row.connectivity?.status, language),
    date_verified: row.connectivity?.status === 2 ? null : (row.connectivity?.datetime ?? null),
    auto_config: {},
    spec_info: {},
    gathered_info: Object.fromEntries(
      (
        ['vendor', 'model', 'sn', 'cpu_model', 'cpu_count', 'cpu_cores', 'cpu_vcpus'] as const
      ).flatMap((name) => (row[name] === null ? [] : [[name, row[name]]])),
    ),
    comment: row.comment,
    created_by: row.created_by,
    date_created: row.date_created,
    ...organizationOf(row),
  };
}

/** Presents a database of version 2.1 as an asset. Its certificates are not part of lists. */
function toDatabase(row: Row<typeof databaseApp>, language: Language): LaterRow {
  const zone = objectOf(row.domain, row.domain_display);
  const settings = { db_name: row.database ?? '', use_ssl: row.tls === 'required' };
  return {
    id: row.id,
    name: row.name,
    address: row.host,
    ...kindOfDatabase(row.type, language),
    protocols: [{ name: row.type, port: row.port }],
    nodes: [],
    nodes_display: [],
    labels: [],
    domain: zone,
    zone,
    is_active: true,
    connectivity: connectivityOf(undefined, language),
    date_verified: null,
    auto_config: {},
    spec_info: settings,
    ...settings,
    // Certificates are always verified.
    allow_invalid_cert: false,
    gathered_info: {},
    comment: row.comment,
    created_by: row.created_by,
    date_created: row.date_created,
    date_updated: row.date_updated,
    ...organizationOf(row),
  };
}

/** Hosts: the assets of version 2.1. */
export function hostSource(engines: Engines): Source {
  return engineSource(engines, asset, {
    filters: {
      name: 'hostname',
      address: 'ip',
      platform: isPlatformOfHost(sql`t.platform`),
      node_id: 'node_id',
      domain: 'domain',
      zone: 'domain',
      is_active: 'is_active',
      comment: 'search',
      category: isOneOf('host'),
      type: isTypeOfHost(sql`t.platform`),
    },
    orders: { name: 'hostname', address: 'ip' },
    async related(rows, context) {
      const [nodes, labels, platforms] = await Promise.all([
        readRelated(
          engineOf(engines, node),
          { values: rows.flatMap((row) => row.nodes), fields: ['value', 'full_value'] },
          context,
        ),
        readRelated(
          engineOf(engines, label),
          { values: rows.flatMap((row) => row.labels), fields: ['name', 'value'] },
          context,
        ),
        readPlatforms(
          engines,
          rows.map((row) => row.platform),
          context,
        ),
      ]);
      return { nodes, labels, platforms };
    },
    present: (row, { related, language }) => toHost(row, related, language),
  });
}

/** Reads platforms by name. */
export const readPlatforms = (engines: Engines, names: readonly string[], context: Context) =>
  readRelated(
    engineOf(engines, platform),
    { values: names, fields: ['base'], by: 'name' },
    context,
  );

/** A filter for rows that are always active. */
export const isTrue: Filter = (value) => /^(true|1|yes)$/i.test(value);

/** The condition that a database has a type. Other kinds of assets have other types. */
export const isTypeOfDatabase: Filter = (value) =>
  DATABASE_TYPES.some((type) => type.value === value) && sql`t.type = ${value}`;

/** Databases: the database apps of version 2.1. */
export function databaseSource(engines: Engines): Source {
  return engineSource(engines, databaseApp, {
    filters: {
      name: 'name',
      address: 'host',
      domain: 'domain',
      zone: 'domain',
      is_active: isTrue,
      category: isOneOf('database'),
      type: isTypeOfDatabase,
      platform: isTypeOfDatabase,
    },
    orders: { name: 'name', address: 'host' },
    present: (row, { language }) => toDatabase(row, language),
  });
}

/** Platforms of hosts. Databases have none here. */
export function platformSource(engines: Engines): Source {
  return engineSource(engines, platform, {
    filters: {
      name: 'name',
      category: isOneOf('host'),
      type: (value) => {
        const type = Object.hasOwn(HOST_TYPES, value) ? HOST_TYPES[value] : undefined;
        return type ? sql`t.base = any (${type.bases})` : false;
      },
    },
    orders: { name: 'name' },
    present: (row, { language }) => ({
      id: row.id,
      name: row.name,
      ...kindOfHost(row.base, language),
      charset: labelled(platform.fields.charset, row.charset, language),
      internal: row.internal,
      protocols: [],
      domain_enabled: true,
      gateway_enabled: true,
      su_enabled: true,
      su_method: null,
      automation: {},
      custom_fields: [],
      labels: [],
      comment: row.comment ?? '',
    }),
  });
}
