import {
  asset,
  boolean,
  datetime,
  ERRORS,
  type Field,
  integer,
  json,
  many,
  platform,
  reference,
  say,
  secret,
  text,
  user,
} from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  isBlank,
  isDirty,
  offeredChoices,
  pathsOf,
  problemOf,
  problemsOf,
  splitErrors,
  startingValues,
} from './form-state.ts';

const label = { en: 'x', zh: 'x' };
const name = text({ label, max: 10 });
const number = integer({ label, min: 3, max: 100, required: false });
const map: Field = { ...json({ label }), mode: 'readwrite' };

describe('the state of a form', () => {
  it('starts with the object, then the page values, then the defaults', () => {
    const fields = {
      name: text({ label, defaultValue: 'd' }),
      nodes: many({ label, to: 'node' }),
      on: boolean({ label, defaultValue: true }),
    };
    expect(startingValues(['name', 'nodes', 'on'], fields, undefined, {})).toEqual({
      name: 'd',
      nodes: [],
      on: true,
    });
    expect(startingValues(['name', 'nodes', 'on'], fields, undefined, { name: 'p' })).toMatchObject(
      { name: 'p' },
    );
    expect(
      startingValues(
        ['name', 'nodes', 'on'],
        fields,
        { name: '', on: false, other: 1 },
        { name: 'p' },
      ),
    ).toEqual({ name: '', nodes: [], on: false });
  });

  it('starts a date with now, or with the far end that means never', () => {
    const fields = {
      from: datetime({ label, defaultValue: 'now' }),
      until: datetime({ label, defaultValue: 'never' }),
    };
    const { from, until } = startingValues(['from', 'until'], fields, undefined, {});
    expect(Math.abs(Date.parse(String(from)) - Date.now())).toBeLessThan(60_000);
    expect(new Date(String(until)).getFullYear()).toBeGreaterThan(new Date().getFullYear() + 60);
  });

  it('rejects blank required values, and accepts 0 and false', () => {
    expect(problemOf('  ', true)).toBe('这个字段是必填项');
    expect(problemOf([], true)).toBe('这个字段是必填项');
    expect(problemOf(0, true)).toBeUndefined();
    expect(problemOf(false, true)).toBeUndefined();
    expect(problemOf('', false)).toBeUndefined();
    expect(isBlank(null)).toBe(true);
  });

  it.each([
    [2, number, 'too_small', { min: 3 }],
    [101, number, 'too_large', { max: 100 }],
    ['1.5', number, 'not_integer', {}],
    [' ab ', text({ label, min: 3 }), 'too_short', { min: 3 }],
    ['名称名称', text({ label, max: 3 }), 'too_long', { max: 3 }],
    ['not an address', user.fields.email, 'not_email', {}],
    ['a name with blanks', platform.fields.name, 'not_slug', {}],
    [['ssh/99999'], asset.fields.protocols, 'not_protocol', {}],
    ['{a', map, 'malformed_json', {}],
  ] as const)('rejects %j with the message of the server', (value, field, code, params) => {
    expect(problemOf(value, false, field)).toBe(say(ERRORS[code], 'zh', params));
  });

  it.each([
    [3, number],
    ['', number],
    ['😀😀😀', text({ label, max: 3 })],
    [true, boolean({ label })],
    ['2026-01-31T08:30:00.000Z', datetime({ label })],
    [['ssh/22'], asset.fields.protocols],
    ['{}', map],
  ] as const)('accepts %j', (value, field) => {
    expect(problemOf(value, false, field)).toBeUndefined();
  });

  it('sends declared fields only, trimmed, without blank secrets', () => {
    const fields = {
      name,
      password: secret({ label, max: 10 }),
      key: secret({ label, max: 10 }),
      domain: reference({ label, to: 'domain', nullable: true }),
      priority: number,
      seen: text({ label, readOnly: true }),
    };
    expect(
      bodyOf(
        {
          name: ' a ',
          password: ' s ',
          key: '',
          domain: '',
          priority: '',
          seen: 1,
          client_only: true,
        },
        fields,
      ),
    ).toEqual({
      name: 'a',
      password: ' s ',
      domain: null,
    });
  });

  it('joins the messages of the server with semicolons and loses none', () => {
    const { under, rest } = splitErrors(
      { name: ['too long', 'taken'], org: ['?'], non_field_errors: ['no'] },
      ['name'],
    );
    expect(under).toEqual({ name: 'too long; taken' });
    expect(rest).toEqual(['org: ?', 'no']);
  });

  it('detects a changed value', () => {
    expect(isDirty({ a: [1] }, { a: [1] })).toBe(false);
    expect(isDirty({ a: [1] }, { a: [2] })).toBe(true);
  });

  it('edits JSON as text and sends the parsed value', () => {
    const start = startingValues(['params'], { params: map }, { params: { a: '1' } }, {});
    expect(JSON.parse(String(start.params))).toEqual({ a: '1' });
    expect(bodyOf(start, { params: map })).toEqual({ params: { a: '1' } });
    expect(bodyOf({ params: '  ' }, { params: map })).toEqual({ params: null });
  });

  it('addresses the members of an object by their path', () => {
    const fields = { meta: platform.fields.meta, name };
    const start = startingValues(['meta', 'name'], fields, { meta: { security: 'nla' } }, {});
    expect(start).toEqual({ meta: { security: 'nla', console: false }, name: '' });
    expect(bodyOf(start, fields)).toEqual({ meta: { security: 'nla', console: false }, name: '' });
    expect(bodyOf({ meta: { security: '', console: '' } }, fields)).toEqual({ meta: null });
    expect(problemsOf('meta', { security: 'none' }, false, fields.meta)).toEqual({
      'meta.security': say(ERRORS.not_choice, 'zh', { value: 'none' }),
    });
    expect(
      splitErrors(
        { 'meta.security': ['no'], 'meta.zone': ['odd'] },
        pathsOf(['meta', 'name'], fields),
      ),
    ).toEqual({
      under: { 'meta.security': 'no' },
      rest: ['meta.zone: odd'],
    });
  });

  it('offers the choices that the caller may make, and keeps the current one', () => {
    const values = (permissions: number, chosen: unknown) =>
      offeredChoices(user.fields.role, permissions, chosen).map(({ value }) => value);
    expect(values(0, 'User')).toEqual(['User']);
    expect(values(-1, 'User')).toEqual(['Admin', 'User', 'Auditor']);
    expect(values(0, 'Auditor')).toEqual(['User', 'Auditor']);
  });
});
