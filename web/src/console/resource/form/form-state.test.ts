import { ERRORS, type FieldMetadata, say } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { bodyOf, formDataOf, isBlank, isDirty, pathsOf, problemOf, problemsOf, splitErrors, startingValues } from './form-state.ts';

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

  it('holds JSON as a text and sends what it means', () => {
    const metadata = { params: field({ type: 'json' }) };
    const start = startingValues(['params'], metadata, { params: { a: [1] } }, {});
    expect(JSON.parse(String(start.params))).toEqual({ a: [1] });
    expect(bodyOf(start, metadata)).toEqual({ params: { a: [1] } });
    expect(bodyOf({ params: '  ' }, metadata)).toEqual({ params: null });
    expect(problemOf('{a', false, metadata.params)).toBe('不是有效的 JSON。');
    expect(problemOf('[]', false, metadata.params)).toBeUndefined();
  });

  it('knows the fields inside of a group by their path', () => {
    const children = { host: field({ required: true, max_length: 3 }), port: field({ type: 'integer' }), secret: field({ write_only: true }) };
    const metadata = { mail: field({ type: 'nested object', children }), name: field() };
    const start = startingValues(['mail', 'name'], metadata, { mail: { host: 'a' } }, {});
    expect(start).toEqual({ mail: { host: 'a', port: '', secret: '' }, name: '' });
    expect(bodyOf(start, metadata)).toEqual({ mail: { host: 'a' }, name: '' });
    expect(problemsOf('mail', { host: 'long', port: 'x' }, false, metadata.mail)).toEqual({
      'mail.host': '请确保该字段不超过 3 个字符。',
      'mail.port': '请填写有效的整数。',
    });
    expect(problemsOf('mail', {}, false, metadata.mail)).toEqual({ 'mail.host': '这个字段是必填项' });
    const paths = pathsOf(['mail', 'name'], metadata);
    expect(splitErrors({ 'mail.host': ['no'], 'mail.zone': ['odd'] }, paths)).toEqual({ under: { 'mail.host': 'no' }, rest: ['mail.zone: odd'] });
  });

  it('sends files as a browser does, and leaves out those that nobody chose', () => {
    const metadata = { logo: field({ type: 'image upload' }), name: field() };
    expect(bodyOf({ logo: '/media/old.png', name: 'a' }, metadata)).toEqual({ name: 'a' });
    expect(formDataOf({ name: 'a' })).toBeUndefined();
    const body = bodyOf({ logo: new File(['x'], 'new.png'), name: ' a ' }, metadata);
    const data = formDataOf({ ...body, list: [1, 2] });
    expect(data?.get('logo')).toBeInstanceOf(File);
    expect(data?.get('name')).toBe('a');
    expect(data?.getAll('list')).toEqual(['1', '2']);
  });
});
