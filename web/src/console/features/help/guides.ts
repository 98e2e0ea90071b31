import type { Language } from '@sallyport/contract';
import type { GuideDocument } from './guide-blocks.ts';

export type GuideName = 'user' | 'operator';

type Load = () => Promise<{ readonly default: GuideDocument }>;

/** Every guide in both languages, lazy-loaded. */
export const GUIDES: Readonly<Record<GuideName, Readonly<Record<Language, Load>>>> = {
  user: {
    en: () => import('virtual:guide/user-guide.en'),
    zh: () => import('virtual:guide/user-guide.zh'),
  },
  operator: {
    en: () => import('virtual:guide/operator-guide.en'),
    zh: () => import('virtual:guide/operator-guide.zh'),
  },
};
