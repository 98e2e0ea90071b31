import { describe, expect, it } from 'vitest';
import { addressOf, errorOf } from './api.ts';

describe('the address of a call', () => {
  it.each([
    ['users/users/', {}, '/api/v1/users/users/'],
    ['/core/auth/login/', {}, '/core/auth/login/'],
    [
      'users/users/',
      { limit: 15, offset: 0, search: ' a b ', order: '', ip: undefined, domain: null },
      '/api/v1/users/users/?limit=15&offset=0&search=a+b',
    ],
    ['users/users/?draw=1', { on: false }, '/api/v1/users/users/?draw=1&on=false'],
    ['users/users/', { ids: ['a', 'b'] }, '/api/v1/users/users/?ids=a%2Cb'],
  ])('builds from %s with %j', (path, query, expected) => {
    expect(addressOf(path, query)).toBe(expected);
  });
});

describe('a refusal', () => {
  it('takes the sentence of the server', () => {
    expect(errorOf(403, { code: 'permission_denied', detail: 'No.' })).toMatchObject({
      status: 403,
      code: 'permission_denied',
      message: 'No.',
      fields: undefined,
    });
    expect(errorOf(500, { error: 'E', msg: 'M' }).message).toBe('E');
    expect(errorOf(500, { msg: 'M' }).message).toBe('M');
  });

  it('keeps field errors, and adds a message when the server sent none', () => {
    const error = errorOf(400, { name: ['too long', 'taken'], nested: { a: 1 } });
    expect(error.fields).toEqual({ name: ['too long', 'taken'] });
    expect(error.message).toBe('请求错误，请检查填写内容');
  });

  it('addresses nested field errors by their path', () => {
    expect(errorOf(400, { mail: { host: ['Not a host.'] } }).fields).toEqual({
      'mail.host': ['Not a host.'],
    });
  });

  it('keeps the position of each item in a batch error', () => {
    const error = errorOf(400, [{}, { name: ['taken'] }, 'not an object']);
    expect(error.items).toEqual([{}, { name: ['taken'] }, { non_field_errors: ['not an object'] }]);
    expect(error.fields).toBeUndefined();
    expect(errorOf(502, []).items).toBeUndefined();
  });

  it.each([undefined, null, 'text', ['a']])('has a message for a body of %j', (body) => {
    expect(errorOf(502, body).message).toContain('502');
    expect(errorOf(0, body).message).not.toBe('');
  });
});
