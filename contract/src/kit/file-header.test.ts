import { expect, it } from 'vitest';
import { asset } from '../resources/assets/asset.ts';
import { systemUser } from '../resources/assets/system-user.ts';
import { user } from '../resources/users/user.ts';
import { fieldOfHeader } from './file-header.ts';

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
