import { type LicenseDetail, Permission, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { formOf, formShape, withForms } from '../../http/multipart.ts';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { type LicenseDocument, refusedLicense } from './document.ts';
import type { LicenseService } from './service.ts';
import { countAssets } from './store.ts';

const SUPER = Permission.SUPER | Permission.ADMIN;
const MAX_BYTES = 65_536;

const EXAMPLE: LicenseDetail = {
  is_valid: true,
  subscription_id: 'S-2026-0001',
  corporation: 'Example Ltd',
  expired: '2027-01-31',
  asset_count: 5_000,
  edition: 'enterprise',
  asset_used: 1_284,
};
const NONE: LicenseDetail = { is_valid: false, subscription_id: null, corporation: null, expired: null, asset_count: null, edition: null, asset_used: 0 };
const FORM = '--b\r\nContent-Disposition: form-data; name="file"; filename="license.json"\r\n\r\n{"subscription_id":"S-2026-0001"}\r\n--b--\r\n';

interface Imported {
  readonly status: boolean;
  readonly msg: string;
}

async function detailOf(license: LicenseService, db: Db): Promise<LicenseDetail> {
  const used = { asset_used: await countAssets(db) };
  const found = license.current();
  if (!found) return { ...NONE, ...used };
  const { signature: _signature, ...facts } = found;
  return { is_valid: license.isLicensed(), ...facts, ...used };
}

/** What the log says of a license. */
const inWords = (license: LicenseDocument | undefined) =>
  license ? `${license.subscription_id}, ${license.corporation}, ${license.edition}, ${license.asset_count}, ${license.expired}` : null;

/** Looking at the license and putting another in its place. */
export async function mountLicense(app: FastifyInstance, { db, license, audit }: { db: Db; license: LicenseService; audit: AuditWriter }): Promise<void> {
  const take = async (context: Context): Promise<Imported> => {
    const file = formOf(context.request.body).find(({ name, filename }) => name === 'file' && filename !== undefined);
    if (!file || file.content.length === 0) throw refusedLicense('file_missing');
    // The command that issues a license may have made the key a moment ago.
    await license.reload();
    const found = license.check(file.content.toString('utf8'));
    const before = license.current();
    await db.transaction().execute(async (tx) => {
      await license.store(found, tx);
      const changes = { license: [inWords(before), inWords(found)] as const };
      await audit(tx, context, { action: 'update', resourceType: 'license', resource: found.subscription_id, resourceId: found.subscription_id, changes });
    });
    await license.reload();
    return { status: true, msg: say({ en: 'The license was imported.', zh: '许可证导入成功。' }, context.language) };
  };

  route(app, {
    method: 'GET',
    url: '/api/v1/xpack/license/detail',
    access: SUPER,
    summary: 'What the license says, and whether it holds.',
    answer: samples<LicenseDetail>(EXAMPLE, NONE),
    handler: () => detailOf(license, db),
  });
  await withForms(app, MAX_BYTES, (forms) =>
    route(forms, {
      method: 'POST',
      url: '/api/v1/xpack/license/import',
      access: SUPER,
      summary: 'Put a license in place of the present one.',
      bodyLimit: MAX_BYTES,
      bodyShape: formShape({ file: 'file' }, FORM),
      answer: samples<Imported>({ status: true, msg: 'The license was imported.' }),
      handler: take,
    }),
  );
}
