import type { TreeNode } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../kit/api.ts';
import { createNodeLoader, TREE_ROOT, withAssets } from './node-data.ts';

const node = (key: string, value: string): TreeNode => ({
  id: key,
  name: `${value} (1)`,
  title: value,
  pId: '',
  isParent: true,
  open: !key.includes(':'),
  iconSkin: '',
  nocheck: false,
  meta: { type: 'node', node: { id: `id-${key}`, key, value, assets_amount: 1 } },
});

describe('the loader of a tree', () => {
  it('splits the first answer into roots and their children with one request', async () => {
    const requests: (string | undefined)[] = [];
    const loader = createNodeLoader(async (key) => {
      requests.push(key);
      return key === undefined
        ? [node('-12', 'Favorite'), node('1', 'Default'), node('1:1', 'web'), node('1:2', 'db')]
        : [node('1:1:1', 'nginx')];
    });
    expect((await loader.getChildrenWithData(TREE_ROOT)).map(({ id }) => id)).toEqual([
      'id--12',
      'id-1',
    ]);
    expect((await loader.getChildrenWithData('id-1')).map(({ data }) => data.value)).toEqual([
      'web',
      'db',
    ]);
    expect((await loader.getChildrenWithData('id-1:1')).map(({ data }) => data.value)).toEqual([
      'nginx',
    ]);
    expect(requests).toEqual([undefined, '1:1']);
  });

  it('lists an asset once below each of its nodes', async () => {
    const asset = {
      id: 'a1',
      hostname: 'web-1',
      ip: '',
      protocols: [],
      platform: 'Linux',
      domain: null,
      org_id: '',
      org_name: '',
      reachability: 1,
    } as const;
    const leaf = (pId: string): TreeNode => ({
      ...node(pId, 'web-1'),
      id: 'a1',
      pId,
      isParent: false,
      meta: { type: 'asset', asset },
    });
    const loader = createNodeLoader(
      async (key) =>
        key === undefined ? [node('1', 'Default'), node('1:1', 'web'), leaf('1')] : [leaf('1:1')],
      withAssets,
    );
    await loader.getChildrenWithData(TREE_ROOT);
    const below = async (id: string) =>
      (await loader.getChildrenWithData(id)).map(({ data }) => [
        data.id,
        data.value,
        data.asset,
        data.reachability,
      ]);
    expect((await below('id-1')).at(-1)).toEqual(['1:a1', 'web-1', 'a1', 1]);
    expect(await below('id-1:1')).toEqual([['1:1:a1', 'web-1', 'a1', 1]]);
  });

  it('sends a new request at the second call, because data may have changed', async () => {
    let calls = 0;
    const loader = createNodeLoader(async () => {
      calls += 1;
      return [node('1', 'Default'), node('1:1', 'web')];
    });
    await loader.getChildrenWithData(TREE_ROOT);
    await loader.getChildrenWithData('id-1');
    await loader.getChildrenWithData('id-1');
    expect(calls).toBe(2);
  });

  it('keeps the position of roots and placeholders', async () => {
    const loader = createNodeLoader(async () => [node('1', 'Default'), node('1:1', 'web')]);
    await loader.getChildrenWithData(TREE_ROOT);
    expect([loader.known('id-1')?.fixed, loader.known('id-1:1')?.fixed]).toEqual([true, false]);
  });

  it('keeps the last answer while the server is unreachable', async () => {
    let isReachable = true;
    const loader = createNodeLoader(async () => {
      if (!isReachable) throw new Error('not reached');
      return [node('1', 'Default')];
    });
    await loader.getChildrenWithData(TREE_ROOT);
    isReachable = false;
    expect((await loader.getChildrenWithData(TREE_ROOT)).map(({ data }) => data.value)).toEqual([
      'Default',
    ]);
    const away = createNodeLoader(() => Promise.reject(new ApiError(0, '', '')));
    expect(await away.getChildrenWithData(TREE_ROOT)).toEqual([]);
    // Other errors propagate when no answer is cached.
    await expect(loader.getChildrenWithData('id-1')).rejects.toThrow('not reached');
  });
});
