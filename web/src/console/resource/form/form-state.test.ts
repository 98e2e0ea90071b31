import { ERRORS, type FieldMetadata, say } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { bodyOf, isBlank, isDirty, problemOf, splitErrors, startingValues } from './form-state.ts';

const field = (more: Partial<FieldMetadata> = {}): FieldMetadata => ({
  type: 'string',
  required: false,
  read_only: false,
  write_only: false,
  label: '',
  ...more,
});

describe('the state of a form', () => {
  it('begins with the object, the page, the default, in this order', () => {
    const metadata = { name: field({ default: 'd' }), nodes: field({ type: 'field', multiple: true }), on: field({ type: 'boolean', default: true }) };
    expect(startingValues(['name', 'nodes', 'on'], metadata, undefined, {})).toEqual({ name: 'd', nodes: [], on: true });
    expect(startingValues(['name', 'nodes', 'on'], metadata, undefined, { name: 'p' })).toMatchObject({ name: 'p' });
    expect(startingValues(['name', 'nodes', 'on'], metadata, { name: '', on: false, other: 1 }, { name: 'p' })).toEqual({ name: '', nodes: [], on: false });
  });

  it('misses what is required, and nothing else', () => {
    expect(problemOf('  ', true)).toBe('这个字段是必填项');
    expect(problemOf([], true)).toBe('这个字段是必填项');
    expect(problemOf(0, true)).toBeUndefined();
    expect(problemOf(false, true)).toBeUndefined();
    expect(problemOf('', false)).toBeUndefined();
    expect(isBlank(null)).toBe(true);
  });

  it.each([
    [2, field({ type: 'integer', min_value: 3 }), 'too_small', { min: 3 }],
    [101, field({ type: 'integer', max_value: 100 }), 'too_large', { max: 100 }],
    ['1.5', field({ type: 'integer' }), 'not_integer', {}],
    [' ab ', field({ min_length: 3 }), 'too_short', { min: 3 }],
    ['名称名称', field({ max_length: 3 }), 'too_long', { max: 3 }],
  ] as const)('is told of %j outside of its limits in the words of the server', (value, limits, code, params) => {
    expect(problemOf(value, false, limits)).toBe(say(ERRORS[code], 'zh', params));
  });

  it.each([
    [3, field({ type: 'integer', min_value: 3, max_value: 3 })],
    ['', field({ type: 'integer', min_value: 3 })],
    ['😀😀😀', field({ max_length: 3 })],
    [true, field({ type: 'boolean' })],
  ])('accepts %j within them', (value, limits) => {
    expect(problemOf(value, false, limits)).toBeUndefined();
  });

  it('sends declared fields only, trimmed, without blank secrets', () => {
    const metadata = {
      name: field(),
      password: field({ write_only: true }),
      key: field({ write_only: true }),
      domain: field({ type: 'field' }),
      priority: field({ type: 'integer' }),
      seen: field({ read_only: true }),
    };
    expect(bodyOf({ name: ' a ', password: ' s ', key: '', domain: '', priority: '', seen: 1, client_only: true }, metadata)).toEqual({
      name: 'a',
      password: ' s ',
      domain: null,
    });
  });

  it("joins the server's sentences with semicolons and loses none", () => {
    const { under, rest } = splitErrors({ name: ['too long', 'taken'], org: ['?'], non_field_errors: ['no'] }, ['name']);
    expect(under).toEqual({ name: 'too long; taken' });
    expect(rest).toEqual(['org: ?', 'no']);
  });

  it('knows when something was changed', () => {
    expect(isDirty({ a: [1] }, { a: [1] })).toBe(false);
    expect(isDirty({ a: [1] }, { a: [2] })).toBe(true);
  });
});
