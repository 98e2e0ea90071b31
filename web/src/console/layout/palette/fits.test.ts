import { describe, expect, it } from 'vitest';
import { SCREENS } from '../../screens/index.ts';
import { bestFit, fitOf, pinyinOf } from './fits.ts';
import { words } from './words.ts';

describe('pages and actions', () => {
  it('knows the pinyin of every character of pages and actions', () => {
    const names = [
      ...SCREENS.flatMap(({ title, otherNames = [] }) =>
        [title, ...otherNames].map(({ zh }) => zh),
      ),
      ...Object.values(words).map(({ zh }) => zh),
    ];
    const unread = names
      .flatMap((name) => pinyinOf(name.replaceAll(/[？…“”]|\{\w+\}/g, '')).syllables)
      .filter((syllable) => /[^\x20-\x7e]/.test(syllable));
    expect([...new Set(unread)]).toEqual([]);
  });

  it('finds pages and actions by names in both languages, by pinyin and by its initials', () => {
    const title = { en: 'Asset permissions', zh: '资产授权' };
    for (const query of ['asset', 'ASSET PERM', '资产', 'zichan', 'zcsq', 'zichanshou'])
      expect([query, fitOf(title, query, 'zh')]).toEqual([query, 1]);
    for (const query of ['perm', 'permissions asset', 'shouquan'])
      expect([query, fitOf(title, query, 'zh')]).toEqual([query, 2]);
    expect(fitOf(title, 'ermis', 'zh')).toBe(3);
    expect(fitOf(title, 'Asset permissions', 'zh')).toBe(0);
    for (const query of ['users', 'ichan', 'qz'])
      expect([query, fitOf(title, query, 'zh')]).toEqual([query, undefined]);
  });

  it('finds no page by its pinyin for readers of English, and none inside of a word by two letters', () => {
    const domains = { en: 'Domains', zh: '网域列表' };
    expect(fitOf(domains, 'wang', 'zh')).toBe(1);
    expect(fitOf(domains, 'wang', 'en')).toBeUndefined();
    expect(fitOf(domains, '网域', 'en')).toBe(1);
    expect(fitOf({ en: 'Platforms', zh: '平台列表' }, 'rm', 'en')).toBeUndefined();
    expect(fitOf({ en: 'Platforms', zh: '平台列表' }, 'form', 'en')).toBe(3);
  });

  it('finds pages by other names, the best match of all', () => {
    const names = [
      { en: 'Tasks', zh: '作业列表' },
      { en: 'Job center', zh: '作业中心' },
    ];
    expect(bestFit(names, 'job cen', 'en')).toBe(1);
    expect(bestFit(names, 'center', 'en')).toBe(2);
    expect(bestFit(names, 'users', 'en')).toBeUndefined();
  });
});
