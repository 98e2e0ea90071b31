import { describe, expect, it } from 'vitest';
import { assetPermission, platform, RESOURCES, resourceNamed, user } from '../resources/index.ts';
import { displayName, summaryOf } from './summary.ts';

describe('the summary of a resource', () => {
  it('says how an object is written, and which fields that takes', () => {
    expect(displayName(summaryOf(user).display, { name: 'Ann', username: 'ann' })).toBe('Ann(ann)');
    expect(displayName(summaryOf(user).display, { name: 'Ann', username: null })).toBe('Ann');
    expect(summaryOf(user).query).toEqual({ fields_size: 'mini', order: 'name' });
    expect(summaryOf(platform)).toMatchObject({ key: 'name', query: {} });
  });

  it('says where its pages are', () => {
    expect(summaryOf(platform).pages).toEqual({ list: 'assets/platforms', update: 'assets/platforms' });
    expect(summaryOf(assetPermission).pages).toEqual({ list: 'perms/asset-permissions', update: 'perms/asset-permission' });
  });

  it.each(RESOURCES.map(({ name }) => name))('of %s names fields that exist', (name) => {
    const { fields, display, key = 'id', quickCreate = [] } = resourceNamed(name);
    const places = [...(display ?? '').matchAll(/\{(\w+)\}/g)].map(([, place = '']) => place);
    expect([...places, key, ...quickCreate].filter((field) => !Object.hasOwn(fields, field))).toEqual([]);
    if (quickCreate.length > 0) {
      const missing = Object.entries(fields).filter(([field, { required, mode }]) => required && mode !== 'readonly' && !quickCreate.includes(field));
      expect(missing.map(([field]) => field)).toEqual([]);
    }
  });
});
