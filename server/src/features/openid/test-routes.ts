import { type OpenidTest, SETTING_CATEGORIES, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { invalid } from '../../platform/errors.ts';
import { type SettingsService, SUPER } from '../../platform/settings/service.ts';
import { assertPassed } from '../../platform/settings/test-steps.ts';
import { testProvider } from './connection-test.ts';
import { type ProviderSettings, savedProvider } from './provider.ts';
import { redirectOf } from './routes.ts';

const FORM = SETTING_CATEGORIES.openid.fields;
type OpenidText = `AUTH_OPENID_${'ISSUER' | 'CLIENT_ID' | 'CLIENT_SECRET' | 'SCOPES'}`;
const TESTED = samples<OpenidTest>({
  msg: 'People can sign in through https://login.example.com.',
  steps: [
    {
      step: 'discovery',
      label: 'Discovery',
      ok: true,
      detail: 'https://login.example.com',
      milliseconds: 41,
    },
  ],
});

/** The entered secret, or the stored one if it belongs to the same provider and client. */
function secretOf(typed: ProviderSettings, saved: ProviderSettings): string {
  if (typed.secret !== '' || saved.secret === '') return typed.secret;
  // Otherwise an administrator could send the stored secret to another provider.
  if (typed.issuer !== saved.issuer || typed.clientId !== saved.clientId)
    throw invalid('AUTH_OPENID_CLIENT_SECRET', 'password_for_other_server');
  return saved.secret;
}

/** Tests an OpenID Connect provider with the values of the form, and reports each step. */
export function mountOpenidTest(
  app: FastifyInstance,
  { settings, publicUrl }: { settings: SettingsService; publicUrl: string | undefined },
): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/settings/openid/testing/',
    access: SUPER,
    area: 'security',
    summary:
      'Test an OpenID Connect provider with the given values; a blank secret means the stored one.',
    body: FORM,
    answer: TESTED,
    async handler(context): Promise<OpenidTest> {
      const { language } = context;
      const values = readBody(context, FORM);
      const text = (name: OpenidText) => (values[name] ?? '').trim();
      const typed = {
        issuer: text('AUTH_OPENID_ISSUER'),
        clientId: text('AUTH_OPENID_CLIENT_ID'),
        secret: text('AUTH_OPENID_CLIENT_SECRET'),
        clientAuth: values.AUTH_OPENID_CLIENT_AUTH ?? 'auto',
      };
      if (typed.issuer === '') throw invalid('AUTH_OPENID_ISSUER', 'required');
      if (typed.clientId === '') throw invalid('AUTH_OPENID_CLIENT_ID', 'required');
      const secret = secretOf(typed, savedProvider(settings));
      const steps = await testProvider({
        settings: { ...typed, secret },
        scopes: text('AUTH_OPENID_SCOPES'),
        redirect: redirectOf(context, publicUrl),
        language,
      });
      assertPassed(steps, 'openid_test_failed');
      const works = say(
        { en: 'Users can sign in through {issuer}.', zh: '用户可以通过 {issuer} 登录。' },
        language,
        { issuer: typed.issuer },
      );
      const off = say(
        { en: 'OpenID sign-in is not enabled yet.', zh: '尚未启用 OpenID 认证。' },
        language,
      );
      return { msg: values.AUTH_OPENID === true ? works : `${works} ${off}`, steps };
    },
  });
}
