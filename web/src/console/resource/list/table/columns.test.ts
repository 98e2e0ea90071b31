import { asset, loginLog, user } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { defaultCell, keptWidth, widthOf } from './columns.tsx';

const nameless = (name: string) => ({ name });

it('returns 80 pixels for validity and 160 for dates', () => {
  expect(widthOf(nameless('is_valid'), user.fields.is_valid)).toBe(80);
  expect(widthOf(nameless('is_active'), asset.fields.is_active)).toBe(80);
  expect(widthOf(nameless('datetime'), loginLog.fields.datetime)).toBe(160);
  expect(widthOf(nameless('hostname'), asset.fields.hostname)).toBeUndefined();
  expect(widthOf({ name: 'is_active', width: 90 }, asset.fields.is_active)).toBe(90);
});

it('keeps the width of dates and flags, unless a list declares another', () => {
  expect(keptWidth({}, loginLog.fields.datetime)).toBe(160);
  expect(keptWidth({}, asset.fields.is_active)).toBe(80);
  expect(keptWidth({ width: 90 }, asset.fields.is_active)).toBeUndefined();
  expect(keptWidth({}, asset.fields.hostname)).toBeUndefined();
  expect(keptWidth({}, undefined)).toBeUndefined();
});

it('draws the display value if the server sends one, and nothing for an empty or unknown value', () => {
  const row = { role: 'Admin', role_display: 'Administrator', phone: '' };
  expect(defaultCell(row, 'role', undefined)).toBe('Administrator');
  expect(defaultCell(row, 'phone', undefined)).toBeNull();
  expect(defaultCell({ city: '-' }, 'city', undefined)).toBeNull();
});
