import {
  allows,
  asset,
  databaseApp,
  displayName,
  fieldsIn,
  Permission,
  type Resource,
  remoteApp,
  type SearchHit,
  shownInSearch,
} from '@sallyport/contract';
import type { ResourceEngine } from '../../resources/engines.ts';
import type { StoredRow } from '../../resources/hooks.ts';
import { Fit, type FitOfTitle, fitOf } from './ranking.ts';

/**
 * How much of a kind a caller finds: all that its lists show, what is granted, or the caller's own.
 */
export type Reach = 'listed' | 'granted' | 'own';

/** A kind of object that a caller finds. */
export interface Kind {
  readonly engine: ResourceEngine;
  readonly reach: Reach;
}

/** What users find when permissions give it to them. */
const GRANTABLE: readonly string[] = [asset.name, remoteApp.name, databaseApp.name];
/** Where users find applications that they are granted; an asset is connected to at once. */
const OWN_PAGES: Readonly<Record<string, string>> = {
  [remoteApp.name]: 'apps/remoteapp?name={name}',
  [databaseApp.name]: 'apps/database?name={name}',
};

/**
 * The kinds that permission bits allow to find, by the rights of the declarations. Without the
 * right to read all, users find the assets and applications that they are granted, and what is
 * their own.
 */
export function kindsFor(bits: number, engines: Iterable<ResourceEngine>): Kind[] {
  return [...engines].flatMap((engine): Kind[] => {
    const { searchable, access, name } = engine.resource;
    if (!searchable || access.read === undefined) return [];
    if (allows(bits, access.read)) return [{ engine, reach: 'listed' }];
    if (!allows(bits, Permission.USE)) return [];
    if (GRANTABLE.includes(name)) return [{ engine, reach: 'granted' }];
    return searchable.owner ? [{ engine, reach: 'own' }] : [];
  });
}

/** The fields that a found object is shown and ranked by, and the asset that it is about. */
export function fieldsOf(resource: Resource): string[] {
  const { title, note, page } = shownInSearch(resource);
  const asset = 'asset_id' in resource.fields ? ['asset_id'] : [];
  return [
    ...new Set(['id', resource.labelField, ...asset, ...fieldsIn(`${title} ${note} ${page}`)]),
  ];
}

/** A found object, with how well it fits. */
export interface Found {
  readonly hit: SearchHit;
  readonly fit: FitOfTitle;
}

const filled = (template: string, row: StoredRow) =>
  displayName(template, row)
    .split(' · ')
    .filter((part) => part.trim() !== '')
    .join(' · ');

/**
 * A row as the search shows it. Events come after objects, the newest first, unless their id was
 * looked for.
 */
export function foundOf(
  { engine: { resource }, reach }: Kind,
  row: StoredRow,
  words: readonly string[],
): Found {
  const shown = shownInSearch(resource);
  const template =
    reach === 'listed' ? shown.page : reach === 'granted' ? OWN_PAGES[resource.name] : undefined;
  const page = template?.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(row[name] ?? '')),
  );
  const hit: SearchHit = {
    kind: resource.name,
    id: String(row.id),
    title: filled(shown.title, row),
    note: filled(shown.note, row),
    page: page ?? null,
    connects: null,
  };
  if (words.length === 0) return { hit, fit: Fit.OTHER };
  const isNamed =
    words.length === 1 &&
    hit.id.replaceAll('-', '').startsWith((words[0] ?? '').replaceAll('-', '')) &&
    (words[0] ?? '').length >= 8;
  if (isNamed) return { hit, fit: Fit.EXACT };
  if (resource.dateField !== undefined) return { hit, fit: Fit.OTHER };
  const parts = fieldsIn(shown.note).map((name) => String(row[name] ?? ''));
  return { hit, fit: fitOf(words, [String(row[resource.labelField] ?? ''), hit.title, ...parts]) };
}
