import type { Resource } from './resource.ts';
import type { LocalText } from './text.ts';

/** What a page has to know about every resource, without its fields: where it is, what it is called, how one object is written. */
export interface ResourceSummary {
  readonly name: string;
  readonly path: string;
  readonly title: LocalText;
  /** The paths of its pages in the console, without a slash before them. */
  readonly pages: {
    readonly list: string;
    readonly create: string;
    readonly update: string;
    readonly detail: string;
  };
  readonly display: string;
  /** The field by whose value others name an object. */
  readonly key: string;
  /** What a list is asked for when it is offered to choose from. */
  readonly query: Readonly<Record<string, string>>;
  /** An object can be created from inside the form of another one. */
  readonly quick: boolean;
}

const placesOf = (display: string) =>
  [...display.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** The summary of a resource. */
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
  const shown = display ?? `{${labelField}}`;
  const list = pages?.list ?? path;
  const short = [...placesOf(shown), key ?? 'id'].every((field) => miniFields.includes(field));
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
    display: shown,
    key: key ?? 'id',
    query: {
      ...(short && { fields_size: 'mini' }),
      ...(fields[labelField]?.order && defaultOrder[0] !== labelField && { order: labelField }),
    },
    quick: quickCreate !== undefined,
  };
}

/** What most resources have, and what the start of the console therefore does not carry for each. */
const usual = (path: string) => ({
  pages: { list: path, create: path, update: path, detail: path },
  display: '{name}',
  key: 'id',
  query: { fields_size: 'mini' } as Readonly<Record<string, string>>,
  quick: false,
});

/** A summary without its name, and without what is usual. */
export type ShortSummary = Pick<ResourceSummary, 'path' | 'title'> & Partial<ResourceSummary>;

/** Leaves out of a summary what `wholeSummary` knows. */
export function shortSummary({ name: _name, ...summary }: ResourceSummary): ShortSummary {
  const known: Readonly<Record<string, unknown>> = usual(summary.path);
  const isOwn = ([field, value]: [string, unknown]) =>
    JSON.stringify(known[field]) !== JSON.stringify(value);
  return Object.fromEntries(Object.entries(summary).filter(isOwn)) as unknown as ShortSummary;
}

/** The summary that was shortened. */
export const wholeSummary = (name: string, summary: ShortSummary): ResourceSummary => ({
  name,
  ...usual(summary.path),
  ...summary,
});

/** The fields that a text with places names. */
export function fieldsIn(text: string): string[] {
  return placesOf(text);
}

/** The field that a search looks at first, and those that a found object is shown by. */
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

/** How an object is written where another one names it. A blank in brackets is left out with its brackets. */
export function displayName(display: string, row: object): string {
  const values = row as Readonly<Record<string, unknown>>;
  return display
    .replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
    .replace('()', '');
}
