import { generateKeyPairSync } from 'node:crypto';
import type { LicenseDetail } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json, Page } from '../../testing/client.ts';
import { buildLicense, formBody, importLicense } from '../../testing/license.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { signLicense } from './document.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram({ secretKey: KEY }, { licensed: false });
  admin = await bearer(test);
});
afterAll(() => test.stop());

const KEY = 'c3'.repeat(32);
const DETAIL = 'xpack/license/detail';
const IMPORT = 'xpack/license/import';
const isShownAsValid = async () =>
  (await test.visitor.get<{ data: Json }>('settings/public/')).body.data.XPACK_LICENSE_IS_VALID;
const createOrganization = () => admin.post<Json>('orgs/orgs/', { name: unique('organization') });

describe('without a license', () => {
  it('reports the missing license, and rejects licensed features', async () => {
    expect((await admin.get(DETAIL)).body).toEqual({
      is_valid: false,
      subscription_id: null,
      corporation: null,
      expired: null,
      asset_count: null,
      edition: null,
      asset_used: 0,
      is_own: false,
      issue_refusal: expect.stringContaining('SALLYPORT_LICENSE_PUBLIC_KEY'),
    });
    expect(await isShownAsValid()).toBe(false);
    expect(await createOrganization()).toMatchObject({
      status: 403,
      body: { code: 'license_required' },
    });
    for (const [method, path] of [
      ['GET', 'xpack/interface/setting'],
      ['PUT', 'xpack/interface/restore'],
    ] as const)
      expect(await admin.request(method, path)).toMatchObject({
        status: 403,
        body: { code: 'license_required', detail: 'A valid license is required.' },
      });
  });
});

describe('a license file', () => {
  const { privateKey: otherKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const { signature, ...facts } = buildLicense();
  const refused: [string, unknown, string][] = [
    ['was signed with another key', signLicense(facts, otherKey), 'license_signature'],
    [
      'was changed',
      { ...facts, signature, asset_count: facts.asset_count + 1 },
      'license_signature',
    ],
    ['is over', buildLicense({ expired: '2020-01-31' }), 'license_expired'],
    ['has no signature', facts, 'license_unreadable'],
    ['has a fact that nobody signed', { ...facts, signature, extra: 1 }, 'license_unreadable'],
    ['has a number for a text', { ...buildLicense(), corporation: 5 }, 'license_unreadable'],
    ['is a list', [], 'license_unreadable'],
    ['is no JSON', 'hello', 'license_unreadable'],
  ];
  it.each(refused)(
    'rejects a license that %s, and changes nothing',
    async (_what, license, code) => {
      const file = new Blob([typeof license === 'string' ? license : JSON.stringify(license)]);
      expect(await admin.sendForm('POST', IMPORT, formBody({ file }))).toMatchObject({
        status: 400,
        body: { code, status: false, msg: expect.any(String) },
      });
      expect(await isShownAsValid()).toBe(false);
    },
  );

  it('requires a file in a form', async () => {
    expect(
      await admin.sendForm('POST', IMPORT, formBody({ other: new Blob(['x']) })),
    ).toMatchObject({ status: 400, body: { code: 'file_missing' } });
    expect(
      await admin.sendForm('POST', IMPORT, formBody({ file: JSON.stringify(buildLicense()) })),
    ).toMatchObject({
      status: 400,
      body: { code: 'file_missing' },
    });
    expect(await admin.post(IMPORT, buildLicense())).toMatchObject({
      status: 400,
      body: { code: 'malformed_form' },
    });
    expect(
      await admin.sendForm('POST', IMPORT, formBody({ file: new Blob(['x'.repeat(70_000)]) })),
    ).toMatchObject({ status: 413 });
  });

  it('lets super administrators change the license, and super auditors read it', async () => {
    const auditor = await bearer(test, await buildUser(test.db, { role: 'Auditor' }));
    expect([(await auditor.get(DETAIL)).status, (await importLicense(auditor)).status]).toEqual([
      200, 403,
    ]);
    expect((await importLicense(test.visitor)).status).toBe(401);
  });

  it('enables all features at once on every server, and logs the import', async () => {
    const other = await startTestProgram({
      databaseUrl: String(
        (test.program.database.pool.options as { connectionString?: string }).connectionString,
      ),
      secretKey: KEY,
    });
    expect(await importLicense(admin)).toMatchObject({ status: 200, body: { status: true } });
    expect((await admin.get<LicenseDetail>(DETAIL)).body).toMatchObject({
      is_valid: true,
      corporation: 'Example Ltd',
      asset_count: 5_000,
      expired: '2099-12-31',
    });
    expect(await isShownAsValid()).toBe(true);
    expect((await createOrganization()).status).toBe(201);
    const isValidThere = async () =>
      (await other.visitor.get<{ data: Json }>('settings/public/')).body.data
        .XPACK_LICENSE_IS_VALID;
    await expect.poll(isValidThere).toBe(true);
    await other.stop();
    const { body } = await admin.get<Page<{ resource_type: string; changes: Json }>>(
      'audits/operate-logs/?limit=1&search=S-1',
    );
    expect(body.results[0]).toMatchObject({
      resource_type: 'License',
      changes: { license: [null, expect.stringContaining('Example Ltd')] },
    });
  });

  it('limits the assets of all organizations together, however they are created', async () => {
    const host = (name: string) => ({
      hostname: name,
      ip: '10.1.1.1',
      platform: 'Linux',
      protocols: ['ssh/22'],
    });
    const create = (client: Client, ...names: string[]) =>
      client.post<Json>(
        'assets/assets/',
        names.length === 1 ? host(names[0] ?? '') : names.map(host),
      );
    const { body: organization } = await createOrganization();
    const elsewhere = admin.inOrganization(String(organization.id));
    expect((await create(admin, unique('before'), unique('before'))).status).toBe(201);
    expect((await importLicense(admin, buildLicense({ asset_count: 4 }))).status).toBe(200);
    expect((await create(elsewhere, unique('third'))).status).toBe(201);

    const refused = {
      status: 403,
      body: { code: 'license_assets', detail: expect.stringContaining('covers 4 assets') },
    };
    expect(await create(admin, unique('fourth'), unique('fifth'))).toMatchObject(refused);
    const csv = `hostname,ip,platform,protocols\n${unique('csv')},10.1.1.2,Linux,ssh/22\n${unique('csv')},10.1.1.3,Linux,ssh/22\n`;
    for (const path of ['assets/assets/', 'assets/assets/?dry_run=1'])
      expect(await admin.send('POST', path, csv, 'text/csv')).toMatchObject(refused);
    const names = Array.from({ length: 3 }, () => unique('file'));
    const objects = names.map((name) => {
      const { protocols: _, ...fields } = host(name);
      return { kind: 'asset', state: 'present', fields };
    });
    for (const apply of [false, true])
      expect(await admin.post('common/resources/apply/', { apply, objects })).toMatchObject({
        status: 403,
        body: {
          code: 'license_assets',
          detail: expect.stringContaining('covers 4 assets across all organizations, and 3 more'),
        },
      });
    // Only one of two simultaneous requests takes the last place.
    const both = await Promise.all([
      create(admin, unique('race')),
      create(elsewhere, unique('race')),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 403]);
    expect((await admin.get<LicenseDetail>(DETAIL)).body).toMatchObject({
      asset_count: 4,
      asset_used: 4,
    });

    // A smaller license removes nothing, and existing assets can be changed and deleted.
    expect((await importLicense(admin, buildLicense({ asset_count: 1 }))).status).toBe(200);
    const { body: there } = await admin.get<{ id: string }[]>('assets/assets/');
    expect(
      (await admin.patch(`assets/assets/${there[0]?.id}/`, { comment: 'still mine' })).status,
    ).toBe(200);
    expect((await admin.delete(`assets/assets/${there[0]?.id}/`)).status).toBe(204);
    expect(await create(admin, unique('again'))).toMatchObject({ status: 403 });
    for (const limitless of [0, 5_000]) {
      expect((await importLicense(admin, buildLicense({ asset_count: limitless }))).status).toBe(
        200,
      );
      expect((await create(admin, unique('room'))).status).toBe(201);
    }
  });

  it('disables features after the last day, and for a license written directly into the table', async () => {
    const put = async (content: object) => {
      await sql`update license set content = ${JSON.stringify(content)}::jsonb`.execute(test.db);
      await sql`select pg_notify('settings', '')`.execute(test.db);
    };
    await put(buildLicense({ expired: '2020-01-31' }));
    await expect.poll(isShownAsValid).toBe(false);
    // An expired license still limits the assets.
    await put(buildLicense({ expired: '2020-01-31', asset_count: 1 }));
    await expect
      .poll(async () => (await admin.get<LicenseDetail>(DETAIL)).body.asset_count)
      .toBe(1);
    const host = {
      hostname: unique('late'),
      ip: '10.1.1.9',
      platform: 'Linux',
      protocols: ['ssh/22'],
    };
    expect(await admin.post('assets/assets/', host)).toMatchObject({
      status: 403,
      body: { code: 'license_assets' },
    });
    // Its facts are still shown, with the reason.
    expect((await admin.get(DETAIL)).body).toMatchObject({
      is_valid: false,
      expired: '2020-01-31',
    });
    await put(buildLicense());
    await expect.poll(isShownAsValid).toBe(true);
    await put({ ...buildLicense(), expired: '2100-12-31' });
    await expect.poll(isShownAsValid).toBe(false);
    expect((await createOrganization()).status).toBe(403);
  });
});
