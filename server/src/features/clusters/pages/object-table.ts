import type { ClusterObjects } from '@sallyport/contract';
import { isList, isObject, type Json } from '../kube-body.ts';

/** Asks for tables: an API server prints each kind as `kubectl get` shows it. */
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

const MAX_CELL = 256;
/** API servers print fewer than ten columns of a kind. */
const MAX_COLUMNS = 50;
/** Columns that pages show themselves. */
const OWN = new Set(['name', 'age', 'namespace']);

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).slice(0, MAX_CELL)
    : '';

const listAt = (value: Json | undefined, key: string): readonly Json[] => {
  const part = isObject(value) ? value[key] : undefined;
  return isList(part) ? part : [];
};

/** A list of an API server, before dates have the zone of the reader. */
export interface ReadObjects extends Omit<ClusterObjects, 'rows'> {
  readonly rows: readonly (Omit<ClusterObjects['rows'][number], 'date_created'> & {
    readonly created: Date | undefined;
  })[];
}

/** Returns a valid date, or undefined. */
function dateOf(value: Json | undefined): Date | undefined {
  const date = new Date(textOf(value));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/**
 * Reads a table, or a list of a server that has no tables for the kind. Takes the name, the age and
 * the printed columns of each object. Returns undefined for anything else.
 */
export function readObjects(value: Json): ReadObjects | undefined {
  if (!isObject(value) || !(isList(value.rows) || isList(value.items))) return undefined;
  // Each row has a cell for each column: many of both would fill the memory of the server.
  const columns = listAt(value, 'columnDefinitions')
    .flatMap((column, index) => {
      if (!isObject(column) || Number(column.priority ?? 0) !== 0) return [];
      const name = textOf(column.name);
      return OWN.has(name.toLowerCase())
        ? []
        : [{ index, name, description: textOf(column.description) }];
    })
    .slice(0, MAX_COLUMNS);
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const entries = isList(value.rows) ? value.rows : listAt(value, 'items');
  return {
    columns: columns.map(({ name, description }) => ({ name, description })),
    rows: entries.flatMap((entry) => {
      const object = isList(value.rows) && isObject(entry) ? entry.object : entry;
      const own = isObject(object) && isObject(object.metadata) ? object.metadata : {};
      const name = textOf(own.name);
      if (name === '') return [];
      const cells = listAt(entry, 'cells');
      return [
        {
          name,
          namespace: textOf(own.namespace),
          created: dateOf(own.creationTimestamp),
          cells: columns.map(({ index }) => textOf(cells[index])),
        },
      ];
    }),
    continue: typeof metadata.continue === 'string' ? metadata.continue : '',
  };
}
