import { expect, it } from 'vitest';
import { changedPreferences, type Preferences } from '../../base/preferences.ts';
import { changeToOpen, changeToRemove, changeToSave, searchOfView } from './saved-views.ts';

const VIEW = {
  name: 'Windows',
  search: { platform: 'Windows' },
  columns: ['ip', 'hostname'],
  widths: { ip: 200 },
};
const OLD: Preferences = {
  columns: { asset: ['hostname'] },
  widths: { asset: { hostname: 300, ip: 90 } },
  views: { asset: { one: VIEW }, user: { other: { name: 'Windows', search: {} } } },
  default_view: { asset: 'one' },
};

it('saves the search of a list without page and temporary set', () => {
  expect(searchOfView({ page: '3', spm: 'x', search: 'web', order: '-ip', empty: '' })).toEqual({
    search: 'web',
    order: '-ip',
  });
});

it('replaces a view of the same name, and keeps it the default', () => {
  const saved = changedPreferences(
    OLD,
    changeToSave(OLD, 'asset', 'two', { name: 'Windows', search: { search: 'x' } }),
  );
  expect(saved.views).toEqual({
    asset: { two: { name: 'Windows', search: { search: 'x' } } },
    user: OLD.views?.user,
  });
  expect(saved.default_view).toEqual({ asset: 'two' });
  expect(
    Object.keys(
      changedPreferences(OLD, changeToSave(OLD, 'asset', 'two', { ...VIEW, name: 'Linux' })).views
        ?.asset ?? {},
    ),
  ).toEqual(['one', 'two']);
});

it('applies only the columns and widths of the opened view', () => {
  const opened = changedPreferences(OLD, changeToOpen(OLD, 'asset', VIEW));
  expect([opened.columns, opened.widths]).toEqual([
    { asset: ['ip', 'hostname'] },
    { asset: { ip: 200 } },
  ]);
  const plain = changedPreferences(OLD, changeToOpen(OLD, 'asset', { name: 'x', search: {} }));
  expect([plain.columns, plain.widths]).toEqual([{}, { asset: {} }]);
});

it('removes a deleted view as the default', () => {
  const without = changedPreferences(OLD, changeToRemove(OLD, 'asset', 'one'));
  expect([without.views?.asset, without.default_view]).toEqual([{}, {}]);
});
