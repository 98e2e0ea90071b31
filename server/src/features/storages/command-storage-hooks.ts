import { X509Certificate } from 'node:crypto';
import { commandStorage } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { Forbidden, invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { hostsIn } from '../sessions/index.ts';
import { comesWithProduct, isSame, type MetaFields, readMeta } from './storage-hooks.ts';

/** An address without credentials, which have separate fields. */
const HOST = /^https?:\/\/[^\s/?#@]+(\/[^\s?#@]*)?$/i;
const INDEX = /^[a-z0-9][a-z0-9_-]*$/;

/** The settings of an index in `meta`, which has the hosts as a list. */
const META: MetaFields = {
  fields: commandStorage.fields,
  names: (type) => (comesWithProduct(type) ? [] : ['hosts', 'index', 'doc_type']),
  derive(settings) {
    const hosts = settings.get('hosts');
    if (
      hosts &&
      Array.isArray(hosts.value) &&
      hosts.value.every((host) => typeof host === 'string')
    )
      settings.set('hosts', { ...hosts, value: hosts.value.join(',') });
  },
};

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The hooks of command storages. The database and "do not save" are built in. Other storages need
 * an address and an index.
 */
export const commandStorageHooks = hooksFor(commandStorage, {
  columns: {
    meta: () => sql`case when t.type in ('server', 'null') then '{}'::jsonb else
      jsonb_build_object('HOSTS', to_jsonb(regexp_split_to_array(t.hosts, '\\s*,\\s*')), 'INDEX',
        t.index, 'DOC_TYPE', t.doc_type) end`,
    terminals: () =>
      sql`(select coalesce(jsonb_agg(x.name order by x.name), '[]'::jsonb) from terminal x
        where x.command_storage = t.name)`,
    waiting: () => sql`(select count(*)::int from command c where c.queued_for = t.id)`,
  },
  async beforeSave(values, previous, { tx }, body) {
    if (previous && comesWithProduct(previous.type)) {
      if (isSame(values, previous)) return;
      throw new Forbidden('storage_default');
    }
    if (comesWithProduct(values.type)) throw invalid('type', 'storage_type_internal');
    if (previous && values.type !== undefined && values.type !== previous.type)
      throw invalid('type', 'storage_type_fixed');
    const nameOf = readMeta(META, values, previous, body);
    const hosts = hostsIn(String(values.hosts ?? previous?.hosts ?? ''));
    if (hosts.length === 0) throw invalid(nameOf('hosts'), 'required');
    if (!hosts.every((host) => HOST.test(host) && URL.canParse(host)))
      throw invalid(nameOf('hosts'), 'not_url');
    const index = String(values.index ?? previous?.index ?? '');
    if (index === '') throw invalid(nameOf('index'), 'required');
    if (!INDEX.test(index)) throw invalid(nameOf('index'), 'not_index');
    if (previous && index !== previous.index) {
      const kept = await sql`select from command where stored_in = ${previous.id} union all
          select from command_removal where storage = ${previous.id} limit 1`.execute(tx);
      if (kept.rows.length > 0) throw invalid(nameOf('index'), 'storage_index_fixed');
    }
    if (values.ca_certificate && !isCertificate(String(values.ca_certificate)))
      throw invalid('ca_certificate', 'not_certificate');
  },
  beforeDelete(row) {
    if (comesWithProduct(row.type)) throw new Forbidden('storage_default');
  },
});
