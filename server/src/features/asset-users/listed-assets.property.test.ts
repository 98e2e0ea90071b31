import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { atOnce } from '../../platform/slices.ts';
import { type ListedAsset, ListedAssets } from './listed-assets.ts';

const part = fc.constantFrom('web', 'prod', '-', '1', '10.0', 'é', '机', '\n', '');
const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
const batches = fc.array(fc.array(text, { maxLength: 5 }), { maxLength: 4 });
const searched = fc.array(
  text.filter((one) => one !== ''),
  { minLength: 1, maxLength: 3 },
);

it('matches the assets whose text contains each searched text, over all batches', () => {
  fc.assert(
    fc.property(batches, searched, (lists, texts) => {
      const all = lists.flat();
      const assets = new ListedAssets();
      let place = 0;
      for (const list of lists)
        assets.add(
          list.map((one): ListedAsset => ({ id: `asset ${place}`, text: one, ip_place: place++ })),
        );
      expect([...atOnce(assets.matching(texts))]).toEqual(
        all.map((one) => (texts.every((searchedText) => one.includes(searchedText)) ? 1 : 0)),
      );
    }),
    runs(300),
  );
});

it('keeps the place of each asset by its id and in the order of addresses', () => {
  const assets = new ListedAssets();
  assets.add([
    { id: 'a', text: 'a', ip_place: 2 },
    { id: 'b', text: 'b', ip_place: 0 },
  ]);
  assets.add([{ id: 'c', text: 'c', ip_place: 1 }]);
  expect(['a', 'b', 'c', 'd'].map((id) => assets.placeOf(id))).toEqual([0, 1, 2, undefined]);
  expect([...assets.ipOrder()]).toEqual([1, 2, 0]);
});
