import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LicenseDetail } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildUser, unique } from '../../testing/builders.ts';
import { Client, type Json } from '../../testing/client.ts';
import { buildLicense, importLicense, LICENSE_PUBLIC_KEY } from '../../testing/license.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const secretKey = 'c3'.repeat(32);
const DETAIL = 'xpack/license/detail';
const ISSUE = 'xpack/license/issue';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram(
    { licensePublicKey: undefined, secretKey },
    { licensed: 'first-start' },
  );
  admin = await bearer(test);
});
afterAll(() => test.stop());

const detail = async (client = admin) => (await client.get<LicenseDetail>(DETAIL)).body;
const isShownAsValid = async () =>
  (await test.visitor.get<{ data: Json }>('settings/public/')).body.data.XPACK_LICENSE_IS_VALID;
const createOrganization = (client = admin) =>
  client.post('orgs/orgs/', { name: unique('organization') });

it('enables every feature at the first start, does not restore a removed license, and issues it again on request', async () => {
  const own = {
    is_valid: true,
    is_own: true,
    asset_count: 0,
    expired: '9999-12-31',
    issue_refusal: null,
  };
  expect(await detail()).toMatchObject(own);
  expect(await isShownAsValid()).toBe(true);
  expect((await createOrganization()).status).toBe(201);

  expect((await admin.delete(DETAIL)).status).toBe(204);
  expect(await detail()).toMatchObject({ is_valid: false, is_own: false, subscription_id: null });
  expect(await isShownAsValid()).toBe(false);
  expect(await createOrganization()).toMatchObject({
    status: 403,
    body: { code: 'license_required' },
  });
  expect(await admin.delete(DETAIL)).toMatchObject({
    status: 400,
    body: { code: 'license_missing' },
  });

  const { databaseUrl } = test;
  const again = await startTestProgram(
    { licensePublicKey: undefined, secretKey, databaseUrl },
    { licensed: 'first-start' },
  );
  expect(
    (await again.visitor.get<{ data: Json }>('settings/public/')).body.data.XPACK_LICENSE_IS_VALID,
  ).toBe(false);
  await again.stop();

  expect(await admin.post(ISSUE)).toMatchObject({ status: 200, body: own });
  expect(await isShownAsValid()).toBe(true);
  expect((await createOrganization()).status).toBe(201);
  const { body } = await admin.get<Json[]>(
    'audits/operate-logs/?resource_type=license&order=datetime',
  );
  expect(body.map(({ action }) => action)).toEqual(['delete', 'update']);
});

it('lets only super administrators remove and issue the license', async () => {
  for (const role of ['Auditor', 'User'] as const) {
    const other = await bearer(test, await buildUser(test.db, { role }));
    expect([role, (await other.delete(DETAIL)).status, (await other.post(ISSUE)).status]).toEqual([
      role,
      403,
      403,
    ]);
  }
  expect([
    (await test.visitor.delete(DETAIL)).status,
    (await test.visitor.post(ISSUE)).status,
  ]).toEqual([401, 401]);
  expect(await isShownAsValid()).toBe(true);
});

it('rejects issuing on a server without the key, and reports where the key is', async () => {
  const { databaseUrl } = test;
  const dataDirectory = mkdtempSync(join(tmpdir(), 'sallyport-license-'));
  const other = await startTestProgram({
    licensePublicKey: undefined,
    secretKey,
    databaseUrl,
    dataDirectory,
  });
  const there = new Client(other.program.url, admin.headers);
  expect((await detail(there)).issue_refusal).toContain('another server');
  expect(await there.post(ISSUE)).toMatchObject({
    status: 400,
    body: { code: 'license_key_elsewhere' },
  });
  await other.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
  expect(await isShownAsValid()).toBe(true);
});

it('issues no license with the key of another issuer configured, even at the first start', async () => {
  const other = await startTestProgram(
    { licensePublicKey: LICENSE_PUBLIC_KEY },
    { licensed: 'first-start' },
  );
  const there = await bearer(other);
  expect(await detail(there)).toMatchObject({
    is_valid: false,
    issue_refusal: expect.stringContaining('SALLYPORT_LICENSE_PUBLIC_KEY'),
  });
  expect(await there.post(ISSUE)).toMatchObject({
    status: 400,
    body: { code: 'license_key_configured' },
  });
  expect((await importLicense(there, buildLicense())).status).toBe(200);
  expect(await detail(there)).toMatchObject({ is_valid: true, is_own: false });
  await other.stop();
});

it('starts without a license in an older installation, where one request enables everything', async () => {
  const before = await startTestProgram({ licensePublicKey: undefined }, { licensed: false });
  const there = await bearer(before);
  expect(await detail(there)).toMatchObject({ is_valid: false, issue_refusal: null });
  expect(await there.post(ISSUE)).toMatchObject({
    status: 200,
    body: { is_valid: true, is_own: true },
  });
  expect((await createOrganization(there)).status).toBe(201);
  await before.stop();
});
