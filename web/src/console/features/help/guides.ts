import type { Language } from '@sallyport/contract';
import { language } from '../../../kit/i18n/index.ts';
import type { GuideDocument } from './guide-blocks.ts';
import { type GuideName, type Section, sectionsOf } from './guide-search.ts';

type Load = () => Promise<{ readonly default: GuideDocument }>;

/** Every guide in both languages, lazy-loaded. */
const GUIDES: Readonly<Record<GuideName, Readonly<Record<Language, Load>>>> = {
  user: {
    en: () => import('virtual:guide/user-guide.en'),
    zh: () => import('virtual:guide/user-guide.zh'),
  },
  operator: {
    en: () => import('virtual:guide/operator-guide.en'),
    zh: () => import('virtual:guide/operator-guide.zh'),
  },
};

/** Loads a guide in the language of the page. */
export const loadGuide = async (name: GuideName): Promise<GuideDocument> =>
  (await GUIDES[name][language]()).default;

/** Loads the sections of both guides. */
export async function loadSections(): Promise<readonly Section[]> {
  const names = Object.keys(GUIDES) as GuideName[];
  const parts = await Promise.all(
    names.map(async (name) => sectionsOf(await loadGuide(name), name)),
  );
  return parts.flat();
}
