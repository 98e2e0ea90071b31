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
import { type Actor, mayUse } from '../../platform/actor.ts';
import type { ResourceEngine } from '../../resources/engines.ts';
import type { StoredRow } from '../../resources/hooks.ts';

/**
 * Match quality, best first: equal title, title prefix, prefix of words, part of the title, match
 * outside of the title.
 */
const Fit = { EXACT: 0, PREFIX: 1, WORD: 2, CONTAINS: 3, OTHER: 4 } as const;
type FitOfTitle = (typeof Fit)[keyof typeof Fit];

const CHINESE = /[一-鿿]/;

/** Returns true if a word of a text starts with a term. */
function beginsWord(text: string, term: string): boolean {
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return true;
  }
  return false;
}

/**
 * Ranks an object for the words of a search by its searchable texts. The first text is its title.
 */
function fitOf(words: readonly string[], texts: readonly string[]): FitOfTitle {
  const whole = words.join(' ');
  const [title = '', ...others] = texts.map((text) => text.toLowerCase());
  if ([title, ...others].includes(whole)) return Fit.EXACT;
  if (title.startsWith(whole)) return Fit.PREFIX;
  const isInTitle = words.every((word) => title.includes(word));
  if (isInTitle) return words.every((word) => beginsWord(title, word)) ? Fit.WORD : Fit.CONTAINS;
  // Latin letters that a Chinese title does not contain are its pinyin, which matches from the
  // start of a syllable.
  return CHINESE.test(title) && words.every((word) => /^[a-z]/.test(word)) ? Fit.WORD : Fit.OTHER;
}

/** Weight of an object for a user: how often it was used, with recent use counting most. */
export function weightOf(
  { times, date }: { readonly times: number; readonly date: Date },
  now: Date,
): number {
  const days = Math.max(0, now.getTime() - date.getTime()) / 86_400_000;
  return Math.log2(1 + times) / (1 + days / 7);
}

/**
 * The scope of a kind for a caller: everything in its lists, granted objects, or the caller's own
 * objects.
 */
export type Reach = 'listed' | 'granted' | 'own';

/** A kind of object that a caller can find. */
export interface Kind {
  readonly engine: ResourceEngine;
  readonly reach: Reach;
}

/** Kinds that users find if permissions grant them. */
const GRANTABLE: readonly string[] = [asset.name, remoteApp.name, databaseApp.name];
/** Pages on which users find granted applications. Assets connect directly. */
const OWN_PAGES: Readonly<Record<string, string>> = {
  [remoteApp.name]: 'apps/remoteapp?name={name}',
  [databaseApp.name]: 'apps/database?name={name}',
};

/**
 * The kinds that permission bits allow to find, by the access rules of the declarations. Without
 * the right to read all, users find granted assets and applications, and their own objects.
 */
export function kindsFor(
  actor: Pick<Actor, 'permissions' | 'duty'>,
  engines: Iterable<ResourceEngine>,
): Kind[] {
  return [...engines].flatMap((engine): Kind[] => {
    const { searchable, access, name } = engine.resource;
    if (!searchable || access.read === undefined) return [];
    if (mayUse(actor, engine.resource, 'read')) return [{ engine, reach: 'listed' }];
    if (actor.duty !== '' || !allows(actor.permissions, Permission.USE)) return [];
    if (GRANTABLE.includes(name)) return [{ engine, reach: 'granted' }];
    return searchable.owner ? [{ engine, reach: 'own' }] : [];
  });
}

/** The fields that display and rank a result, and the id of its asset. */
export function fieldsOf(resource: Resource): string[] {
  const { title, note, page } = shownInSearch(resource);
  const asset = 'asset_id' in resource.fields ? ['asset_id'] : [];
  return [
    ...new Set(['id', resource.labelField, ...asset, ...fieldsIn(`${title} ${note} ${page}`)]),
  ];
}

/** A search result with its rank. */
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
 * Converts a row to a search result. Events rank after objects, newest first, unless the user
 * searched for their id.
 */
export function foundOf(
  { engine: { resource }, reach }: Kind,
  row: StoredRow,
  words: readonly string[],
): Found {
  const presentation = shownInSearch(resource);
  const template =
    reach === 'listed'
      ? presentation.page
      : reach === 'granted'
        ? OWN_PAGES[resource.name]
        : undefined;
  const page = template?.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(row[name] ?? '')),
  );
  const hit = {
    kind: resource.name,
    id: String(row.id),
    title: filled(presentation.title, row),
    note: filled(presentation.note, row),
    page: page ?? null,
    connects: null,
  };
  const ranked = (fit: FitOfTitle): Found => ({ hit: { ...hit, fit }, fit });
  if (words.length === 0) return ranked(Fit.OTHER);
  const isNamed =
    words.length === 1 &&
    hit.id.replaceAll('-', '').startsWith((words[0] ?? '').replaceAll('-', '')) &&
    (words[0] ?? '').length >= 8;
  if (isNamed) return ranked(Fit.EXACT);
  if (resource.dateField !== undefined) return ranked(Fit.OTHER);
  const parts = fieldsIn(presentation.note).map((name) => String(row[name] ?? ''));
  return ranked(fitOf(words, [String(row[resource.labelField] ?? ''), hit.title, ...parts]));
}
