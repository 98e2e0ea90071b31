import { type CompliancePresets, MOST_CHANGES } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { changesOf, placeChangesOf, presetChangesOf } from './controlled.ts';

const ID = '0b1f3c1e-8d5e-4c9c-9a44-0f3a3f1c2d11';
const FILTER = '0b1f3c1e-8d5e-4c9c-9a44-0f3a3f1c2d12';

it('reads the proposed change from a request for one object', () => {
  const body = { name: 'contractors' };
  expect([
    ...changesOf({ method: 'POST', path: 'perms/asset-permissions/', body }),
    ...changesOf({ method: 'PUT', path: `perms/conditions/${ID}/`, body }),
    ...changesOf({ method: 'PATCH', path: `perms/emergency-access/${ID}/`, body }),
    ...changesOf({ method: 'DELETE', path: `assets/cmd-filters/${FILTER}/rules/${ID}/` }),
    ...changesOf({ method: 'DELETE', path: `assets/cmd-filters/${FILTER}/` }),
  ]).toEqual([
    { resource: 'asset_permission', action: 'create', body },
    { resource: 'condition', action: 'change', object: ID, body },
    { resource: 'emergency_access', action: 'change', object: ID, body },
    { resource: 'command_filter_rule', action: 'delete', object: ID, parent: FILTER },
    { resource: 'command_filter', action: 'delete', object: FILTER },
  ]);
});

it('names the settings of a category', () => {
  const path = 'settings/setting/';
  const body = { security: { SECURITY_LOGIN_LIMIT_COUNT: 9 } };
  expect(changesOf({ method: 'PATCH', path, body })).toEqual([
    { resource: 'setting', action: 'change', body: { SECURITY_LOGIN_LIMIT_COUNT: 9 } },
  ]);
  expect(changesOf({ method: 'PUT', path, body })).toEqual([]);
});

it('asks the server for the settings of a compliance preset', async () => {
  const presets = {
    active: 'company',
    undo: { date: '', user: '', preset: 'team', values: { SECURITY_PASSWORD_HISTORY: 3 } },
    presets: [{ name: 'company', values: { SECURITY_PASSWORD_HISTORY: 5 } }],
  } as unknown as CompliancePresets;
  const changes = (path: string, body = {}) =>
    presetChangesOf({ method: 'POST', path, body }, async () => presets);
  const change = (COMPLIANCE_PRESET: string, history: number) => ({
    resource: 'setting',
    action: 'change',
    body: { COMPLIANCE_PRESET, SECURITY_PASSWORD_HISTORY: history },
  });
  expect(await changes('settings/presets/', { preset: 'company' })).toEqual([change('company', 5)]);
  expect(await changes('settings/presets/undo/')).toEqual([change('team', 3)]);
  expect(await changes('settings/presets/', { preset: 'unknown' })).toEqual([]);
  expect(await changes('settings/setting/')).toBeUndefined();
});

it('proposes the nodes of assets that a request places on a node', async () => {
  const [node, kept] = [FILTER, '0b1f3c1e-8d5e-4c9c-9a44-0f3a3f1c2d13'];
  const paths: string[] = [];
  const place = (path: string, body: unknown = { assets: [ID] }) =>
    placeChangesOf({ method: 'PUT', path, body }, async (asked) => {
      paths.push(asked);
      return { nodes: [kept] };
    });
  const change = (nodes: readonly string[]) => [
    { resource: 'asset', action: 'change', object: ID, body: { nodes } },
  ];
  expect(await place(`assets/nodes/${node}/assets/add/`)).toEqual(change([kept, node]));
  expect(await place(`assets/nodes/${node}/assets/replace/`)).toEqual(change([node]));
  expect(paths).toEqual([`assets/assets/${ID}/`]);
  const many = { assets: Array.from({ length: MOST_CHANGES + 1 }, () => ID) };
  expect(await place(`assets/nodes/${node}/assets/add/`, many)).toEqual([]);
  expect(await place(`assets/nodes/${node}/children/add/`, { nodes: [ID] })).toBeUndefined();
  expect(await place(`assets/nodes/${node}/assets/remove/`)).toBeUndefined();
});

it('reads a change for each row of a bulk request', () => {
  const path = 'perms/conditions/';
  const rows = [ID, FILTER].map((id) => ({ id, comment: 'checked' }));
  expect(changesOf({ method: 'PATCH', path, body: rows })).toEqual(
    [ID, FILTER].map((object) => ({
      resource: 'condition',
      action: 'change',
      object,
      body: { comment: 'checked' },
    })),
  );
  const many = Array.from({ length: MOST_CHANGES + 1 }, () => ({ id: ID }));
  expect(changesOf({ method: 'PATCH', path, body: many })).toEqual([]);
});

it('proposes the role of a user, and the administrators of an organization', () => {
  expect(
    changesOf({ method: 'PATCH', path: `users/users/${ID}/`, body: { role: 'Auditor' } }),
  ).toEqual([{ resource: 'user', action: 'change', object: ID, body: { role: 'Auditor' } }]);
  expect(changesOf({ method: 'PATCH', path: `orgs/orgs/${ID}/`, body: { admins: [ID] } })).toEqual([
    { resource: 'organization', action: 'change', object: ID, body: { admins: [ID] } },
  ]);
});

it('finds no change in requests without objects, with other paths or of other resources', () => {
  expect(
    [
      { method: 'DELETE', path: 'perms/asset-permissions/' },
      { method: 'PATCH', path: 'perms/asset-permissions/', body: [{ id: ID }, 'no row'] },
      { method: 'POST', path: 'perms/asset-permissions/', body: 'a,file' },
      { method: 'POST', path: `perms/asset-permissions/${ID}/`, body: {} },
      { method: 'PUT', path: 'perms/asset-permissions/import/', body: {} },
      { method: 'PUT', path: 'change-control/', body: { is_on: false } },
      { method: 'DELETE', path: `assets/labels/${ID}/` },
      { method: 'POST', path: `assets/host-keys/${ID}/accept/`, body: 'x' },
    ].flatMap(changesOf),
  ).toEqual([]);
});

it('finds the asset of a changed address, and the host key that is accepted or forgotten', () => {
  const body = { fingerprint: 'SHA256:new' };
  expect(
    [
      { method: 'PATCH', path: `assets/assets/${ID}/`, body: { ip: '192.0.2.1' } },
      { method: 'POST', path: `assets/host-keys/${ID}/accept/`, body },
      { method: 'DELETE', path: `assets/host-keys/${ID}/` },
    ].flatMap(changesOf),
  ).toEqual([
    { resource: 'asset', action: 'change', object: ID, body: { ip: '192.0.2.1' } },
    { resource: 'host_key', action: 'change', object: ID, body },
    { resource: 'host_key', action: 'delete', object: ID },
  ]);
});
