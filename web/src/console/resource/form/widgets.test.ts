import {
  asset,
  assetPermission,
  boolean,
  choice,
  flags,
  integer,
  json,
  object,
  platform,
  secret,
  systemUser,
  text,
  user,
} from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { checkedOnBlur, widgetOf } from './widgets.ts';

const label = { en: 'x', zh: 'x' };
const choices = (count: number) =>
  Array.from({ length: count }, (_, value) => ({ value: String(value), mask: 1 << value, label }));

describe('the control of a field', () => {
  it.each([
    ['email', user.fields.email, 'email'],
    ['password', user.fields.password, 'password'],
    ['comment', asset.fields.comment, 'textarea'],
    ['name', user.fields.name, 'text'],
    ['a text without a length', text({ label }), 'textarea'],
    ['private_key', systemUser.fields.private_key, 'secret'],
    ['a short secret', secret({ label, max: 10 }), 'password'],
    ['4 choices', choice({ label, choices: choices(4) }), 'radio'],
    ['base', platform.fields.base, 'select'],
    ['3 flags', flags({ label, choices: choices(3) }), 'checkboxes'],
    ['5 flags', flags({ label, choices: choices(5) }), 'multiselect'],
    ['date_expired', user.fields.date_expired, 'datetime'],
    ['is_active', boolean({ label }), 'switch'],
    ['priority', integer({ label }), 'number'],
    ['domain', asset.fields.domain, 'relation'],
    ['nodes', asset.fields.nodes, 'relations'],
    ['protocols', asset.fields.protocols, 'list'],
    ['a map', json({ label }), 'json'],
    ['meta', platform.fields.meta, 'object'],
    ['a count', assetPermission.fields.users_amount, 'unknown'],
    ['an object', object({ label, fields: {} }), 'object'],
  ] as const)('chooses the control of %s by its declaration', (_name, field, expected) => {
    expect(widgetOf(field)).toBe(expected);
  });

  it('checks typed controls on blur, and others at once', () => {
    expect(checkedOnBlur('text')).toBe(true);
    expect(checkedOnBlur('select')).toBe(false);
  });
});
