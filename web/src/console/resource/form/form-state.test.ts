import type { FieldMetadata } from '@sallyport/contract';
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
    expect(problemOf('  ', true, 'required')).toBe('required');
    expect(problemOf([], true, 'required')).toBe('required');
    expect(problemOf(0, true, 'required')).toBeUndefined();
    expect(problemOf(false, true, 'required')).toBeUndefined();
    expect(problemOf('', false, 'required')).toBeUndefined();
    expect(isBlank(null)).toBe(true);
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
