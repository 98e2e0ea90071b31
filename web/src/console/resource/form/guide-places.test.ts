import { join } from 'node:path';
import { asset } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { readGuide } from '../../../../guides.ts';
import { GUIDE, guideOf } from './guide-places.ts';

const DOCS = join(import.meta.dirname, '../../../../../docs');

it.each(['en', 'zh'] as const)('leads only to headings of the operator guide (%s)', (language) => {
  const headings = readGuide(DOCS, `operator-guide.${language}`).blocks.flatMap((block) =>
    block.kind === 'heading' ? [block.id] : [],
  );
  const places = Object.values(GUIDE).map((place) => place[language]);
  expect(places.filter((place) => !headings.includes(place))).toEqual([]);
});

it('explains fields by the resource that they refer to, and plain fields not at all', () => {
  expect(guideOf(asset.fields.admin_user)).toBe(GUIDE.accounts);
  expect(guideOf(asset.fields.platform)).toBe(GUIDE.platforms);
  expect(guideOf(asset.fields.comment)).toBeUndefined();
});
