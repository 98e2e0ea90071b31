import type { TreeNode } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { byParent, foundNodes, groupFound, placeRows, ROOT_ID } from './tree-rows.ts';

const node = (key: string, pId: string, value: string, count: number): TreeNode => ({
  id: key,
  name: `${value} (${count})`,
  title: `${value} (${count})`,
  pId,
  isParent: true,
  open: pId === '',
  iconSkin: '',
  nocheck: false,
  meta: { type: 'node', node: { id: `id-${key}`, key, value, assets_amount: count } },
});

const asset = (hostname: string, pId: string, org = 'DEFAULT', nocheck = false): TreeNode => ({
  id: `id-${hostname}`,
  name: hostname,
  title: '10.0.0.1',
  pId,
  isParent: false,
  open: false,
  iconSkin: 'linux',
  nocheck,
  meta: {
    type: 'asset',
    asset: {
      id: `id-${hostname}`,
      hostname,
      ip: '10.0.0.1',
      protocols: ['ssh/22'],
      platform: 'Linux',
      domain: null,
      org_id: 'o',
      org_name: org,
    },
  },
});

describe('the rows of the asset tree', () => {
  it('hangs roots below the top and their children below them', () => {
    const children = byParent(
      placeRows(
        [
          node('-12', '', '收藏夹', 1),
          node('1', '', 'Default', 2),
          node('1:1', '1', 'Web (old)', 1),
          asset('web', '1'),
        ],
        ROOT_ID,
      ),
    );
    expect(children.get(ROOT_ID)?.map(({ name }) => name)).toEqual(['收藏夹', 'Default']);
    expect(children.get('node:1')).toMatchObject([
      { kind: 'node', key: '1:1', name: 'Web (old)', count: 1 },
      { kind: 'asset', name: 'web' },
    ]);
  });

  it('hangs the children of an opened node below it', () => {
    const children = byParent(
      placeRows([asset('a', '1:1'), node('1:1:1', '1:1', 'Deep', 0)], 'node:1:1'),
    );
    expect([...children.keys()]).toEqual(['node:1:1']);
  });

  it('gives an asset below two nodes two rows', () => {
    const ids = placeRows([asset('a', '1'), asset('a', '-12')], ROOT_ID).map(({ row }) => row.id);
    expect(new Set(ids).size).toBe(2);
  });

  it('finds each asset once, by organization, and marks what cannot be opened', () => {
    const groups = groupFound([
      asset('a', '1'),
      asset('a', '-12'),
      asset('win', '1', 'DEFAULT', true),
      asset('b', '2', 'Other'),
      node('1', '', 'x', 0),
    ]);
    expect(
      groups.map(({ organization, assets }) => [
        organization,
        assets.map(({ hostname, usable }) => [hostname, usable]),
      ]),
    ).toEqual([
      [
        'DEFAULT',
        [
          ['a', true],
          ['win', false],
        ],
      ],
      ['Other', [['b', true]]],
    ]);
  });
});

it('returns the matching nodes of a search without their parents', () => {
  const answer = [
    node('1', '', 'Default', 9),
    node('1:1', '1', 'eu', 4),
    node('1:1:2', '1:1', 'Prod', 3),
    node('1:1:2:1', '1:1:2', 'db', 1),
    node('1:1:3', '1:1', '北京', 1),
  ];
  expect(foundNodes(answer, 'eu prod').map(({ path }) => path)).toEqual([
    'Default / eu',
    'Default / eu / Prod',
    'Default / eu / Prod / db',
    'Default / eu / 北京',
  ]);
  expect(foundNodes(answer, 'prod')).toMatchObject([
    { key: '1:1:2', path: 'Default / eu / Prod', count: 3 },
    { key: '1:1:2:1' },
    { key: '1:1:3' },
  ]);
  expect(foundNodes([], 'prod')).toEqual([]);
});
