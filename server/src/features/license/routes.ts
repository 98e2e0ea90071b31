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
/** A server that cannot issue licenses says why. */
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
  const found = license.current();
  if (!found) return { ...NONE, ...here };
  const { signature: _signature, ...facts } = found;
  return { is_valid: license.isLicensed(), ...facts, ...here, is_own: isOwn(found) };
}

/** What the log says of a license. */
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

/** Shows the license, puts another in its place, issues the installation's own, removes it. */
export async function mountLicense(
  app: FastifyInstance,
  options: LicenseRouteOptions,
): Promise<void> {
  const { db, license, issuer, audit } = options;
  /**
   * Stores another license, or none, with its entry in the operate log. In force on this server
   * when it returns.
   */
  const change = async (
    context: Context,
    find: (tx: Tx) => Promise<LicenseDocument | undefined>,
  ): Promise<void> => {
    const before = license.current();
    await db.transaction().execute(async (tx) => {
      const found = await find(tx);
      if (found) await license.store(found, tx);
      else await license.remove(tx);
      const { subscription_id: id = '' } = found ?? before ?? {};
      const changes = { license: [inWords(before), inWords(found)] as const };
      await audit(tx, context, {
        action: found ? 'update' : 'delete',
        resourceType: 'license',
        resource: id,
        resourceId: id,
        changes,
      });
    });
    await license.reload();
  };
  const take = async (context: Context): Promise<Imported> => {
    const file = formOf(context.request.body).find(
      ({ name, filename }) => name === 'file' && filename !== undefined,
    );
    if (!file || file.content.length === 0) throw refusedLicense('file_missing');
    // The command that issues a license may have made the key a moment ago.
    await license.reload();
    const found = license.check(file.content.toString('utf8'));
    await change(context, async () => found);
    return {
      status: true,
      msg: say({ en: 'The license was imported.', zh: '许可证导入成功。' }, context.language),
    };
  };

  route(app, {
    method: 'GET',
    url: '/api/v1/xpack/license/detail',
    access: SUPER,
    summary: 'What the license says, and whether it holds.',
    answer: samples<LicenseDetail>(EXAMPLE, NONE, REFUSED),
    handler: ({ language }) => detailOf(options, language),
  });
  route(app, {
    method: 'DELETE',
    url: '/api/v1/xpack/license/detail',
    access: SUPER,
    summary: 'Remove the license: what needs one closes, and what exists stays.',
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
    summary:
      "Put the installation's own license, which opens everything, in place of the present one.",
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
      summary: 'Put a license in place of the present one.',
      bodyLimit: MAX_BYTES,
      bodyShape: formShape({ file: 'file' }, FORM),
      answer: samples<Imported>({ status: true, msg: 'The license was imported.' }),
      handler: take,
    }),
  );
}
