import { describe, expect, it } from 'vitest';
import { assetPermission, platform, RESOURCES, resourceNamed, user } from '../resources/index.ts';
import {
  displayName,
  fieldsIn,
  shortSummary,
  shownInSearch,
  summaryOf,
  wholeSummary,
} from './summary.ts';

describe('the summary of a resource', () => {
  it('returns the display format of an object and its fields', () => {
    expect(displayName(summaryOf(user).display, { name: 'Ann', username: 'ann' })).toBe('Ann(ann)');
    expect(displayName(summaryOf(user).display, { name: 'Ann', username: null })).toBe('Ann');
    expect(summaryOf(user).query).toEqual({ fields_size: 'mini', order: 'name' });
    expect(summaryOf(platform)).toMatchObject({ key: 'name', query: {} });
  });

  it('returns the paths of the pages', () => {
    expect(summaryOf(platform).pages).toEqual({
      list: 'assets/platforms',
      create: 'assets/platforms',
      update: 'assets/platforms',
      detail: 'assets/platforms',
    });
    expect(summaryOf(assetPermission).pages).toEqual({
      list: 'perms/asset-permissions',
      create: 'perms/asset-permissions',
      update: 'perms/asset-permission',
      detail: 'perms/asset-permissions',
    });
  });

  it('restores a shortened summary completely', () => {
    expect(Object.keys(shortSummary(summaryOf(user)))).toEqual([
      'path',
      'title',
      'display',
      'query',
    ]);
    for (const resource of RESOURCES) {
      const summary = summaryOf(resource);
      expect(
        wholeSummary(resource.name, JSON.parse(JSON.stringify(shortSummary(summary)))),
      ).toEqual(summary);
    }
  });

  it.each(RESOURCES.map(({ name }) => name))('refers only to existing fields of %s', (name) => {
    const { fields, display, key = 'id', quickCreate = [], searchable } = resourceNamed(name);
    const places = [...(display ?? '').matchAll(/\{(\w+)\}/g)].map(([, place = '']) => place);
    const { title, note, page } = shownInSearch(resourceNamed(name));
    const searched = searchable
      ? [...fieldsIn(`${title} ${note} ${page}`), ...(searchable.owner ? [searchable.owner] : [])]
      : [];
    expect(
      [...places, key, ...quickCreate, ...searched].filter(
        (field) => !Object.hasOwn(fields, field),
      ),
    ).toEqual([]);
    if (quickCreate.length > 0) {
      const missing = Object.entries(fields).filter(
        ([field, { required, mode }]) =>
          required && mode !== 'readonly' && !quickCreate.includes(field),
      );
      expect(missing.map(([field]) => field)).toEqual([]);
    }
  });
});
