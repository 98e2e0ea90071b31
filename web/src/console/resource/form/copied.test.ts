import { asset, assetPermission, systemUser } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { copiedValues } from './copied.ts';

it('copies the place and the settings of an asset, and not what identifies it', () => {
  const values = { platform: 'Linux', protocols: ['ssh/2222'], nodes: ['n'], is_active: false };
  const own = { id: '1', hostname: 'web-1', ip: '10.0.0.8', public_ip: '203.0.113.8', number: '7' };
  const facts = { cpu_count: 4, connectivity: { status: 1 }, created_by: 'admin' };
  expect(copiedValues(asset, { ...own, ...facts, ...values })).toEqual(values);
});

it('copies a system user without its name and secrets, and a permission without its start', () => {
  const account = { name: 'deploy', username: 'deploy', password: 'secret', sudo: '/bin/whoami' };
  expect(copiedValues(systemUser, account)).toEqual({ username: 'deploy', sudo: '/bin/whoami' });
  const rule = { name: 'team', users: ['u'], date_start: '2026-01-01', date_expired: '2027-01-01' };
  expect(copiedValues(assetPermission, rule)).toEqual({ users: ['u'], date_expired: '2027-01-01' });
});
