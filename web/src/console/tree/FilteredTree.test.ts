import type { TreeNode } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { createFoundLoader } from './FilteredTree.tsx';
import { createNodeLoader, TREE_ROOT } from './node-data.ts';

const node = (key: string, value: string, isParent = true): TreeNode => ({
  id: key,
  name: value,
  title: value,
  pId: '',
  isParent,
  open: !key.includes(':'),
  iconSkin: '',
  nocheck: false,
  meta: { type: 'node', node: { id: `id-${key}`, key, value, assets_amount: 1 } },
});

it('opens the ancestors of matches, and loads children of matches on request', async () => {
  const requests: (string | undefined)[] = [];
  const whole = createNodeLoader(async (key) => {
    requests.push(key);
    return [node('1:2:1:1', 'below')];
  });
  const answers = [[node('1:2:1', 'prod')]];
  const loader = createFoundLoader(
    [node('1:2:1', 'prod'), node('1', 'Default'), node('1:2', 'eu')],
    async () => answers.shift() ?? [],
    whole,
  );
  const below = async (id: string) =>
    (await loader.getChildrenWithData(id)).map(({ data }) => [data.value, data.open]);
  expect(await below(TREE_ROOT)).toEqual([['Default', true]]);
  expect(await below('id-1')).toEqual([['eu', true]]);
  expect(await below('id-1:2')).toEqual([['prod', false]]);
  expect(requests).toEqual([]);
  expect(await below('id-1:2:1')).toEqual([['below', false]]);
  expect(requests).toEqual(['1:2:1']);
  // The main tree knows these nodes too: menus and lists look them up there.
  expect(whole.known('id-1:2')).toMatchObject({ value: 'eu', open: false });
  expect(await below(TREE_ROOT)).toEqual([]);
});
