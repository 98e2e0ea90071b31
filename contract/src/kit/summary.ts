import type { Resource } from './resource.ts';
import type { LocalText } from './text.ts';

/**
 * Facts about a resource that every page needs, without its fields: paths, title and display
 * format.
 */
export interface ResourceSummary {
  readonly name: string;
  readonly path: string;
  readonly title: LocalText;
  /** Console paths without a leading slash. */
  readonly pages: {
    readonly list: string;
    readonly create: string;
    readonly update: string;
    readonly detail: string;
  };
  readonly display: string;
  /** The field by which other objects refer to it. */
  readonly key: string;
  /** Query of a list of choices. */
  readonly query: Readonly<Record<string, string>>;
  /** True if another form can create an object. */
  readonly quick: boolean;
}

const placesOf = (display: string) =>
  [...display.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

export function summaryOf({
  name,
  path,
  title,
  pages,
  display,
  key,
  labelField,
  miniFields,
  defaultOrder,
  fields,
  quickCreate,
}: Resource): ResourceSummary {
  const format = display ?? `{${labelField}}`;
  const list = pages?.list ?? path;
  const short = [...placesOf(format), key ?? 'id'].every((field) => miniFields.includes(field));
  return {
    name,
    path,
    title,
    pages: {
      list,
      create: pages?.create ?? list,
      update: pages?.update ?? list,
      detail: pages?.detail ?? list,
    },
    display: format,
    key: key ?? 'id',
    query: {
      ...(short && { fields_size: 'mini' }),
      ...(fields[labelField]?.order && defaultOrder[0] !== labelField && { order: labelField }),
    },
    quick: quickCreate !== undefined,
  };
}

/** Values shared by most resources, which the initial page omits. */
const usual = (path: string) => ({
  pages: { list: path, create: path, update: path, detail: path },
  display: '{name}',
  key: 'id',
  query: { fields_size: 'mini' } as Readonly<Record<string, string>>,
  quick: false,
});

/** A summary without its name and without the usual values. */
export type ShortSummary = Pick<ResourceSummary, 'path' | 'title'> & Partial<ResourceSummary>;

/** Removes the values that `wholeSummary` restores. */
export function shortSummary({ name: _name, ...summary }: ResourceSummary): ShortSummary {
  const known: Readonly<Record<string, unknown>> = usual(summary.path);
  const isOwn = ([field, value]: [string, unknown]) =>
    JSON.stringify(known[field]) !== JSON.stringify(value);
  const { path, title } = summary;
  return { path, title, ...Object.fromEntries(Object.entries(summary).filter(isOwn)) };
}

/** Restores a shortened summary. */
export const wholeSummary = (name: string, summary: ShortSummary): ResourceSummary => ({
  name,
  ...usual(summary.path),
  ...summary,
});

/** Returns the field names in the placeholders of a text. */
export function fieldsIn(text: string): string[] {
  return placesOf(text);
}

/** Returns the formats of a search hit. */
export function shownInSearch({ labelField, searchable = {}, pages, path }: Resource): {
  readonly title: string;
  readonly note: string;
  readonly page: string;
} {
  return {
    title: searchable.title ?? `{${labelField}}`,
    note: searchable.note ?? '',
    page: searchable.page ?? `${pages?.detail ?? pages?.list ?? path}/{id}`,
  };
}

/**
 * Formats an object for a reference. An empty placeholder in brackets is dropped with its brackets.
 */
export function displayName(display: string, row: object): string {
  const values = row as Readonly<Record<string, unknown>>;
  return display
    .replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
    .replace('()', '');
}
