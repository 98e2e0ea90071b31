import { expect, it } from 'vitest';
import { asset } from '../resources/assets/asset.ts';
import { systemUser } from '../resources/assets/system-user.ts';
import { RESOURCES } from '../resources/index.ts';
import { user } from '../resources/users/user.ts';
import { fieldOfHeader, headerOf } from './file-header.ts';

it.each([
  ['Public IP', 'public_ip'],
  ['*公网 IP', 'public_ip'],
  ['is_active', 'is_active'],
  ['Unknown', undefined],
])('finds the field of the header %s', (header, name) => {
  expect(fieldOfHeader(asset.fields, header)).toBe(name);
});

it.each([
  [asset, '公网IP', 'public_ip'],
  [asset, 'Is active', 'is_active'],
  [user, '*邮件', 'email'],
  [user, 'MFA', 'mfa_level'],
  [systemUser, 'Login mode', 'login_mode'],
])('reads headers that earlier versions wrote', ({ fields }, header, name) => {
  expect(fieldOfHeader(fields, header)).toBe(name);
});

it.each(RESOURCES.map((resource) => [resource.name, resource.fields] as const))(
  'finds each field of %s by its own header, in both languages',
  (_resource, fields) => {
    for (const language of ['en', 'zh'] as const)
      for (const name of Object.keys(fields))
        expect(fieldOfHeader(fields, headerOf(fields, name, language))).toBe(name);
  },
);

it('writes the name of a field behind a label that another field has', () => {
  expect(headerOf(user.fields, 'source', 'en')).toBe('Source');
  expect(headerOf(user.fields, 'source_display', 'en')).toBe('Source (source_display)');
});
