import { ERRORS, type Language, type LicenseDetail, Permission, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { formOf, formShape, withForms } from '../../http/multipart.ts';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { type LicenseDocument, refusedLicense } from './document.ts';
import { type Issuer, isOwn, issueOwn, issueRefusal } from './issue.ts';
import { countAssets, type LicenseService } from './service.ts';

const SUPER = Permission.SUPER | Permission.ADMIN;
const READ = Permission.SUPER | Permission.AUDIT;
const MAX_BYTES = 65_536;

const EXAMPLE: LicenseDetail = {
  is_valid: true,
  subscription_id: 'S-2026-0001',
  corporation: 'Example Ltd',
  expired: '2027-01-31',
  asset_count: 5_000,
  edition: 'enterprise',
  asset_used: 1_284,
  is_own: false,
  issue_refusal: null,
};
const NONE: LicenseDetail = {
  is_valid: false,
  subscription_id: null,
  corporation: null,
  expired: null,
  asset_count: null,
  edition: null,
  asset_used: 0,
  is_own: false,
  issue_refusal: null,
};
/** A server that cannot issue licenses returns the reason. */
const REFUSED: LicenseDetail = { ...NONE, issue_refusal: ERRORS.license_key_configured.en };
const FORM =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="license.json"\r\n\r\n{"subscription_id":"S-2026-0001"}\r\n--b--\r\n';

interface Imported {
  readonly status: boolean;
  readonly msg: string;
}

async function detailOf(
  { db, license, issuer }: LicenseRouteOptions,
  language: Language,
): Promise<LicenseDetail> {
  const refusal = await issueRefusal(db, issuer);
  const here = {
    asset_used: await countAssets(db),
    issue_refusal: refusal ? say(ERRORS[refusal], language) : null,
  };
  const current = license.current();
  if (!current) return { ...NONE, ...here };
  const { signature: _signature, ...facts } = current;
  return { is_valid: license.isLicensed(), ...facts, ...here, is_own: isOwn(current) };
}

/** The license as the operate log describes it. */
const inWords = (license: LicenseDocument | undefined) =>
  license
    ? `${license.subscription_id}, ${license.corporation}, ${license.edition}, ${license.asset_count}, ${license.expired}`
    : null;

export interface LicenseRouteOptions {
  readonly db: Db;
  readonly license: LicenseService;
  readonly issuer: Issuer;
  readonly audit: AuditWriter;
}

/** Routes to show, replace, issue and remove the license. */
export async function mountLicense(
  app: FastifyInstance,
  options: LicenseRouteOptions,
): Promise<void> {
  const { db, license, issuer, audit } = options;
  /**
   * Stores or removes the license, with an entry in the operate log. It is in force on this server
   * when this returns.
   */
  const change = async (
    context: Context,
    find: (tx: Tx) => Promise<LicenseDocument | undefined>,
  ): Promise<void> => {
    const before = license.current();
    await db.transaction(async (tx) => {
      const replacement = await find(tx);
      if (replacement) await license.store(replacement, tx);
      else await license.remove(tx);
      const { subscription_id: id = '' } = replacement ?? before ?? {};
      const changes = { license: [inWords(before), inWords(replacement)] as const };
      await audit(tx, context, {
        action: replacement ? 'update' : 'delete',
        resourceType: 'license',
        resource: id,
        resourceId: id,
        changes,
      });
    });
    await license.reload();
  };
  const importFile = async (context: Context): Promise<Imported> => {
    const file = formOf(context.request.body).find(
      ({ name, filename }) => name === 'file' && filename !== undefined,
    );
    if (!file || file.content.length === 0) throw refusedLicense('file_missing');
    // The command that issues a license may just have created the key.
    await license.reload();
    const imported = license.check(file.content.toString('utf8'));
    await change(context, async () => imported);
    return {
      status: true,
      msg: say({ en: 'The license was imported.', zh: '许可证导入成功。' }, context.language),
    };
  };

  route(app, {
    method: 'GET',
    url: '/api/v1/xpack/license/detail',
    access: READ,
    area: 'operation',
    summary: 'The license and its validity.',
    answer: samples<LicenseDetail>(EXAMPLE, NONE, REFUSED),
    handler: ({ language }) => detailOf(options, language),
  });
  route(app, {
    method: 'DELETE',
    url: '/api/v1/xpack/license/detail',
    access: SUPER,
    area: 'operation',
    summary: 'Remove the license. Features that need one close; data stays.',
    status: 204,
    async handler(context) {
      await change(context, async () => undefined);
      context.reply.code(204);
      return null;
    },
  });
  route(app, {
    method: 'POST',
    url: '/api/v1/xpack/license/issue',
    access: SUPER,
    area: 'operation',
    summary: "Replace the license with the installation's own, which enables all features.",
    answer: samples<LicenseDetail>(EXAMPLE),
    async handler(context) {
      await change(context, (tx) => issueOwn(tx, issuer));
      return detailOf(options, context.language);
    },
  });
  await withForms(app, MAX_BYTES, (forms) =>
    route(forms, {
      method: 'POST',
      url: '/api/v1/xpack/license/import',
      access: SUPER,
      area: 'operation',
      summary: 'Replace the license.',
      bodyLimit: MAX_BYTES,
      bodyShape: formShape({ file: 'file' }, FORM),
      answer: samples<Imported>({ status: true, msg: 'The license was imported.' }),
      handler: importFile,
    }),
  );
}
