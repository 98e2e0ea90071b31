import type { FieldMetadata } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { checkedOnBlur, widgetOf } from './widgets.ts';

const field = (more: Partial<FieldMetadata>): FieldMetadata => ({ type: 'string', required: false, read_only: false, write_only: false, label: '', ...more });
const choices = (count: number) => Array.from({ length: count }, (_, value) => ({ value, display_name: String(value) }));

describe('the control of a field', () => {
  it.each([
    ['email', field({ max_length: 128 }), 'email'],
    ['password', field({ max_length: 128, write_only: true }), 'password'],
    ['comment', field({ max_length: 128 }), 'textarea'],
    ['name', field({ max_length: 128 }), 'text'],
    ['sudo', field({}), 'textarea'],
    ['private_key', field({ write_only: true, multiline: true }), 'secret'],
    ['base', field({ type: 'choice', choices: choices(4) }), 'radio'],
    ['base', field({ type: 'choice', choices: choices(5) }), 'select'],
    ['actions', field({ type: 'multiple choice', choices: choices(3) }), 'checkboxes'],
    ['date_expired', field({ type: 'datetime' }), 'datetime'],
    ['is_active', field({ type: 'boolean' }), 'switch'],
    ['port', field({ type: 'integer' }), 'number'],
    ['domain', field({ type: 'field', target: 'domain', multiple: false }), 'relation'],
    ['nodes', field({ type: 'field', target: 'node', multiple: true }), 'relations'],
    ['protocols', field({ type: 'list' }), 'list'],
    ['actions', field({ type: 'multiple choice', choices: choices(5) }), 'multiselect'],
    ['rate', field({ type: 'float' }), 'number'],
    ['logo', field({ type: 'image upload' }), 'file'],
    ['params', field({ type: 'json' }), 'json'],
    ['params', field({ type: 'nested object' }), 'json'],
    ['mail', field({ type: 'nested object', children: { host: field({}) } }), 'nested'],
    ['meta', field({ type: 'field' }), 'unknown'],
    ['x', field({ type: 'regex' }), 'unknown'],
  ])('%s of %j is %s', (name, metadata, expected) => {
    expect(widgetOf(name, metadata)).toBe(expected);
  });

  it('is checked when left if it is typed into, otherwise at once', () => {
    expect(checkedOnBlur('text')).toBe(true);
    expect(checkedOnBlur('select')).toBe(false);
  });
});
