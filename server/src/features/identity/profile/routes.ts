import { type ConsoleStart, type Fields, readableFields, user } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { withLaterPrefix } from '../../../http/later-prefix.ts';
import { route } from '../../../http/route.ts';
import type { PublicSettingsReader } from '../../interface/index.ts';
import { preferencesOf } from '../accounts/store.ts';
import { CONSOLE_START, OWN_BODY, PROFILE } from '../wire-shapes.ts';
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
export function mountProfile(
  app: FastifyInstance,
  services: ProfileServices,
  publicSettings: PublicSettingsReader,
): void {
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
  route(app, {
    method: 'GET',
    url: `${URL}start/`,
    access: 'signed-in',
    area: 'own',
    summary: 'Your account, your preferences and the public settings: what a console starts with.',
    answer: CONSOLE_START,
    async handler(context): Promise<ConsoleStart> {
      const { actor } = context;
      const [profile, preferences] = await Promise.all([
        profileOf(context, services),
        actor.isValid ? preferencesOf(actor.userId, services.db) : {},
      ]);
      return { profile, preferences, settings: publicSettings(actor) };
    },
  });
  mountOwnPassword(app, services);
}
