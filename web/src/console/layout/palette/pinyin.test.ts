import { describe, expect, it } from 'vitest';
import { SCREENS } from '../../screens/index.ts';
import { bestFit, fitOf } from './fits.ts';
import { pinyinOf } from './pinyin.ts';
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
      .flatMap((name) => pinyinOf(name.replaceAll(/[？…]|\{\w+\}/g, '')).syllables)
      .filter((syllable) => /[^\x20-\x7e]/.test(syllable));
    expect([...new Set(unread)]).toEqual([]);
  });

  it('finds pages and actions by names in both languages, by pinyin and by its initials', () => {
    const title = { en: 'Asset permissions', zh: '资产授权' };
    for (const query of ['asset', 'ASSET PERM', '资产', 'zichan', 'zcsq', 'zichanshou'])
      expect([query, fitOf(title, query)]).toEqual([query, 0]);
    for (const query of ['perm', 'permissions asset', 'shouquan'])
      expect([query, fitOf(title, query)]).toEqual([query, 1]);
    expect(fitOf(title, 'ermis')).toBe(2);
    for (const query of ['users', 'ichan', 'qz'])
      expect([query, fitOf(title, query)]).toEqual([query, undefined]);
  });

  it('finds pages by other names, the best match of all', () => {
    const names = [
      { en: 'Tasks', zh: '作业列表' },
      { en: 'Job center', zh: '作业中心' },
    ];
    expect(bestFit(names, 'job cen')).toBe(0);
    expect(bestFit(names, 'center')).toBe(1);
    expect(bestFit(names, 'users')).toBeUndefined();
  });
});
