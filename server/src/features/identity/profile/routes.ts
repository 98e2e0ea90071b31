import { type Fields, readableFields, user } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { withLaterPrefix } from '../../../http/later-prefix.ts';
import { route } from '../../../http/route.ts';
import { OWN_BODY, PROFILE } from '../wire-shapes.ts';
import { CONFIRMED_FIELDS, changeProfile, OWN_FIELDS } from './change.ts';
import { mountOwnPassword } from './password-routes.ts';
import { type ProfileServices, profileOf } from './profile.ts';

const URL = '/api/v1/users/profile/';

/** Form of the own account in OPTIONS: all readable fields, with the writable ones marked. */
const PROFILE_FORM: Fields = {
  ...Object.fromEntries(
    readableFields(user, true).map(([name, field]) => [
      name,
      { ...field, mode: 'readonly' as const },
    ]),
  ),
  ...OWN_FIELDS,
  ...CONFIRMED_FIELDS,
};

/** Routes of the own account. */
export function mountProfile(app: FastifyInstance, services: ProfileServices): void {
  for (const url of withLaterPrefix(URL))
    route(app, {
      method: 'GET',
      url,
      access: 'signed-in',
      area: 'own',
      summary: 'Your account.',
      answer: PROFILE,
      handler: (context) => profileOf(context, services),
    });
  route(app, {
    method: ['PUT', 'PATCH'],
    url: URL,
    access: 'signed-in',
    area: 'own',
    summary: 'Change your account.',
    bodyShape: OWN_BODY,
    form: PROFILE_FORM,
    answer: PROFILE,
    async handler(context) {
      await changeProfile(services, context);
      return profileOf(context, services);
    },
  });
  mountOwnPassword(app, services);
}
