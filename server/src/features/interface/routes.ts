import {
  type InterfaceSetting,
  Permission,
  type Problem,
  parseField,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { formOf, formShape, withForms } from '../../http/multipart.ts';
import { parameter, publicRoute, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { Invalid, notFound } from '../../platform/errors.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { inspectPicture, MAX_PICTURE_BYTES, PICTURE_NAMES, type PictureName } from './pictures.ts';
import { type BrandingService, PICTURE_URL, type Picture } from './service.ts';

const SUPER = Permission.SUPER | Permission.ADMIN;
const READ = Permission.SUPER | Permission.AUDIT;
const URL = '/api/v1/xpack/interface/setting';
/** All pictures and the form around them. */
const BODY_BYTES = PICTURE_NAMES.length * MAX_PICTURE_BYTES + 65_536;
const TITLE = text({ label: { en: 'Title', zh: '标题' }, max: 64, required: false });
const ANSWER = samples<InterfaceSetting>({
  login_title: 'Example Ltd',
  logo_index: `${PICTURE_URL}logo_index-0f343b0931126a20f133d67c2b018a3b.png`,
  logo_logout: '/favicon.svg',
  login_image: '/favicon.svg',
  favicon: '/favicon.svg',
});
const FORM =
  '--b\r\nContent-Disposition: form-data; name="login_title"\r\n\r\nExample Ltd\r\n--b--\r\n';

/** Reads the form. A file replaces a picture, a blank field removes it. @throws Invalid */
function readChange(body: unknown) {
  // The caller chooses the names, so `__proto__` must be safe.
  const problems: Record<string, Problem[]> = Object.create(null);
  const pictures: Partial<Record<PictureName, Picture | null>> = {};
  let title: string | undefined;
  for (const { name, filename, content } of formOf(body)) {
    const picture = PICTURE_NAMES.find((known) => known === name);
    if (name === 'login_title' && filename === undefined) {
      const parsed = parseField(TITLE, content.toString('utf8'));
      if ('problem' in parsed) problems[name] = [parsed.problem];
      else title = String(parsed.value);
    } else if (picture && content.length === 0) {
      // Browsers send an empty file field as a file without a name.
      if (filename === undefined) pictures[picture] = null;
    } else if (picture && filename !== undefined) {
      const judged = inspectPicture(picture, content);
      if ('problem' in judged) problems[picture] = [judged.problem];
      else pictures[picture] = { ...judged, content };
    } else problems[name] = [{ code: 'unknown_field' }];
  }
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return { pictures, ...(title !== undefined && { title }) };
}

/** Routes for logos, icon, picture and title of the pages. */
export async function mountInterface(
  app: FastifyInstance,
  { db, branding, audit }: { db: Db; branding: BrandingService; audit: AuditWriter },
): Promise<void> {
  const change = async (
    context: Context,
    work: (tx: Tx) => Promise<void>,
  ): Promise<InterfaceSetting> => {
    await db.transaction(async (tx) => {
      const before = await branding.storedIn(tx);
      await work(tx);
      const after = await branding.storedIn(tx);
      const names = (Object.keys(after) as (keyof InterfaceSetting)[]).filter(
        (name) => before[name] !== after[name],
      );
      const changes = Object.fromEntries(
        names.map((name) => [name, [before[name], after[name]] as const]),
      );
      if (names.length > 0)
        await audit(tx, context, {
          action: 'update',
          resourceType: 'interface',
          resource: names.join(', '),
          resourceId: 'interface',
          changes,
        });
    });
    // The next request must see the change, even before the notification arrives.
    await branding.reload();
    return branding.stored();
  };

  route(app, {
    method: 'GET',
    url: URL,
    access: READ,
    area: 'operation',
    licensed: true,
    summary: 'The branding of the pages.',
    answer: ANSWER,
    handler: () => branding.stored(),
  });
  route(app, {
    method: 'PUT',
    url: '/api/v1/xpack/interface/restore',
    access: SUPER,
    area: 'operation',
    licensed: true,
    summary: "Restore the product's own branding.",
    answer: ANSWER,
    handler: (context) => change(context, (tx) => branding.restore(tx)),
  });
  await withForms(app, BODY_BYTES, (forms) =>
    route(forms, {
      method: 'PUT',
      url: URL,
      access: SUPER,
      area: 'operation',
      licensed: true,
      summary:
        'Change the branding; fields that are not sent stay, a blank field in place of a picture removes it.',
      bodyLimit: BODY_BYTES,
      bodyShape: formShape(
        {
          login_title: 'text',
          logo_index: 'file',
          logo_logout: 'file',
          login_image: 'file',
          favicon: 'file',
        },
        FORM,
      ),
      answer: ANSWER,
      handler: (context) => {
        const requested = readChange(context.request.body);
        return change(context, (tx) => branding.store(requested, tx));
      },
    }),
  );
  publicRoute(app, {
    method: 'GET',
    url: `${PICTURE_URL}:file`,
    summary: 'A picture of the pages.',
    handler: (context) => {
      const picture = branding.picture(parameter(context, 'file'));
      if (!picture) throw notFound();
      // An SVG that is opened directly is a document of our origin. It must not load or run
      // anything.
      context.reply
        .header('content-type', picture.mediaType)
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        .header('cache-control', 'public, max-age=31536000, immutable');
      return context.reply.send(picture.content);
    },
  });
}
