import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { LicenseDetail } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../../testing/client.ts';
import { importLicense } from '../../testing/license.ts';
import { executeOperatorCommand, runOperatorCommand } from '../../testing/operator-command.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import type { LicenseDocument } from './document.ts';

const FACTS = ['corporation=Öffentliche Werke', 'expired=2099-06-30', 'asset_count=120'];

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram({ licensePublicKey: undefined }, { licensed: false });
  admin = await bearer(test);
});
afterAll(() => test.stop());

const issue = (words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runOperatorCommand(test, ['license', 'issue', ...words], environment);

it('issues a license that the installation accepts, with a key that other accounts cannot read', async () => {
  const nobody = await importLicense(admin, { any: 'thing' });
  expect(nobody).toMatchObject({ status: 400, body: { code: 'license_no_key' } });

  const { code, stdout, stderr } = await executeOperatorCommand(test, [
    'license',
    'issue',
    ...FACTS,
  ]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/public half is MCowBQYDK2VwAyEA[\w+/]{43}=\n$/);
  const license = JSON.parse(stdout) as LicenseDocument;
  expect(license).toMatchObject({
    corporation: 'Öffentliche Werke',
    expired: '2099-06-30',
    asset_count: 120,
    edition: 'enterprise',
  });
  expect(statSync(join(test.dataDirectory, 'license.key')).mode & 0o777).toBe(0o600);
  // The running server learns the key.
  await expect.poll(async () => (await importLicense(admin, license)).status).toBe(200);
  expect((await admin.get<LicenseDetail>('xpack/license/detail')).body).toMatchObject({
    is_valid: true,
    asset_count: 120,
  });

  // The key stays the same, so earlier licenses remain valid.
  expect(
    (
      await importLicense(
        admin,
        JSON.parse((await issue([...FACTS, 'edition=trial'])).stdout) as object,
      )
    ).status,
  ).toBe(200);
  expect((await importLicense(admin, license)).status).toBe(200);
  expect(test.log()).not.toContain('PRIVATE KEY');
});

it('reports missing, unknown and invalid words', async () => {
  for (const [words, message] of [
    [[], 'A license needs a corporation'],
    [['corporation=Example', 'expired=tomorrow', 'asset_count=5'], 'A license needs'],
    [['corporation=Example', 'expired=2099-06-30', 'asset_count=many'], 'A license needs'],
    [[...FACTS, 'color=red'], 'does not know "color"'],
  ] as const) {
    const { code, stdout, stderr } = await issue(words);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain('Example: license issue');
  }
  const other = 'MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
  const { code, stderr } = await issue(FACTS, { SALLYPORT_LICENSE_PUBLIC_KEY: other });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('SALLYPORT_LICENSE_PUBLIC_KEY is another key'),
  ]);
});
