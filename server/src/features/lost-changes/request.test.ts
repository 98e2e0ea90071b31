import { describe, expect, it } from 'vitest';
import { requestFor } from './request.ts';

const ID = '0c0e6a0a-6d9e-4f3c-8d0e-000000000001';
const change = (changes: Record<string, readonly [unknown, unknown]> | null) => ({
  action: 'update' as const,
  resourceType: 'label',
  resourceId: ID,
  changes,
});

describe('the request of a lost change', () => {
  it('sends the values after an update to the object', () => {
    expect(requestFor(change({ value: ['old', 'new'] }))).toEqual({
      method: 'PATCH',
      path: `assets/labels/${ID}/`,
      body: { value: 'new' },
      without: [],
    });
  });

  it('sends settings below their category', () => {
    const changes = { TERMINAL_JOURNAL_KEEP_TIME: [15, 30] as const };
    expect(requestFor({ ...change(changes), resourceType: 'setting' })).toMatchObject({
      method: 'PUT',
      path: 'settings/setting/',
      body: { terminal: { TERMINAL_JOURNAL_KEEP_TIME: 30 } },
    });
  });

  it('leaves out the mask of a secret', () => {
    const changes = { EMAIL_HOST_PASSWORD: ['******', '******'] as const };
    expect(requestFor({ ...change(changes), resourceType: 'setting' })).toBeUndefined();
    const both = { username: [null, 'root'], password: [null, '******'] } as const;
    const created = requestFor({
      action: 'create',
      resourceType: 'system_user',
      resourceId: ID,
      changes: both,
    });
    expect(created).toMatchObject({ method: 'POST', body: { username: 'root' } });
    expect(created?.without.map(({ en }) => en)).toEqual(['Password']);
    expect(JSON.stringify(created?.body)).not.toContain('*');
  });

  it.each([
    ['without kept values', change(null)],
    ['with a shortened list', change({ assets: [[], ['a', '… 60']] })],
    ['with values that are no fields', change({ assets_add: [null, ['a']] })],
    ['of a kind that is no resource', { ...change({ a: [1, 2] }), resourceType: 'host_key' }],
    [
      'of an object below another',
      { ...change({ content: ['a', 'b'] }), resourceType: 'command_filter_rule' },
    ],
    ['of a log', { ...change({ user: ['a', 'b'] }), resourceType: 'operate_log' }],
    ['that was no write', { ...change({ value: ['a', 'b'] }), action: 'view' as const }],
    ['of an unknown setting', { ...change({ NO_SETTING: [1, 2] }), resourceType: 'setting' }],
    [
      'with a name of every object',
      { ...change({ constructor: [1, 2] as const }), resourceType: 'setting' },
    ],
  ])('offers no request for a change %s', (_name, logged) => {
    expect(requestFor(logged)).toBeUndefined();
  });
});
