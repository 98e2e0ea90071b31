import type { AccessChange } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { accessLines } from './AccessLines.tsx';

const one = (name: string) => ({ count: 1, names: [name] });
const change = (part: Partial<AccessChange>): AccessChange => ({
  ...{
    kind: 'lost',
    target: 'asset',
    people: one('Li Wei'),
    assets: one('web-01'),
    accounts: one('ops'),
    accesses: 1,
    actions: [],
  },
  ...part,
});
const textOf = (part: Partial<AccessChange>) => accessLines([change(part)])[0];

describe('how access changes', () => {
  it('names few objects and counts many', () => {
    expect(textOf({})).toMatchObject({
      text: 'Li Wei 将失去 web-01 的访问权限（ops）',
      names: '',
      takes: true,
    });
    const many = { count: 6, names: ['a', 'b', 'c', 'd', 'e'] };
    expect(
      textOf({
        kind: 'gained',
        people: many,
        assets: { count: 2_000, names: [] },
        accesses: 12_000,
      }),
    ).toMatchObject({
      text: '6 位用户 将获得 2,000 个资产 的访问权限（ops）',
      names: 'a, b, c, d, e 等',
      takes: false,
    });
  });

  it('counts the accesses when not every user gets every asset', () => {
    expect(
      textOf({ people: { count: 3, names: [] }, assets: { count: 3, names: [] }, accesses: 4 })
        ?.text,
    ).toContain('共 4 项');
  });

  it('names the kind of an application', () => {
    expect(
      textOf({ target: 'database_app', assets: { count: 3, names: [] }, accesses: 3 })?.text,
    ).toContain('3 个数据库应用');
  });

  it('names only actions that are part of a group', () => {
    expect(
      textOf({ kind: 'more_actions', actions: ['upload_file', 'download_file', 'updownload'] })
        ?.text,
    ).toContain('：上传文件和下载文件（');
  });
});
