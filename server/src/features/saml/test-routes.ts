import { type SamlTest, SETTING_CATEGORIES, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors.ts';
import { isMetadataUrl } from '../../platform/metadata-address.ts';
import { SUPER } from '../../platform/settings/service.ts';
import { assertPassed } from '../../platform/settings/test-steps.ts';
import { testProvider } from './connection-test.ts';
import { ownKey } from './own-key.ts';
import { serviceOf } from './service-provider.ts';

const FORM = SETTING_CATEGORIES.saml.fields;
type SamlText = 'AUTH_SAML_METADATA' | 'AUTH_SAML_METADATA_URL' | 'AUTH_SAML_ENTITY_ID';
const TESTED = samples<SamlTest>({
  msg: 'People can sign in through https://login.example.com.',
  steps: [
    {
      step: 'metadata',
      label: 'Metadata',
      ok: true,
      detail: 'https://login.example.com',
      milliseconds: 41,
    },
  ],
});

/** Tests a SAML provider with the values of the form, and reports each step. */
export function mountSamlTest(
  app: FastifyInstance,
  { db, vault, publicUrl }: { db: Db; vault: Vault; publicUrl: string | undefined },
): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/settings/saml/testing/',
    access: SUPER,
    summary: 'Test a SAML provider with the given values.',
    body: FORM,
    answer: TESTED,
    async handler(context): Promise<SamlTest> {
      const { language } = context;
      const values = readBody(context, FORM);
      const text = (name: SamlText) => (values[name] ?? '').trim();
      const source = { text: text('AUTH_SAML_METADATA'), url: text('AUTH_SAML_METADATA_URL') };
      if (source.text === '' && source.url === '')
        throw invalid('AUTH_SAML_METADATA_URL', 'required');
      if (isMetadataUrl(source.url)) throw invalid('AUTH_SAML_METADATA_URL', 'metadata_address');
      if (source.text !== '' && source.url !== '')
        throw invalid('AUTH_SAML_METADATA', 'saml_metadata_twice');
      const us = serviceOf(context, publicUrl, text('AUTH_SAML_ENTITY_ID'));
      const steps = await testProvider({
        source,
        us,
        key: await ownKey(db, vault),
        language,
      });
      assertPassed(steps, 'saml_test_failed');
      const issuer = steps[0]?.detail ?? '';
      const works = say(
        { en: 'Users can sign in through {issuer}.', zh: '用户可以通过 {issuer} 登录。' },
        language,
        { issuer },
      );
      const off = say(
        { en: 'SAML sign-in is not enabled yet.', zh: '尚未启用 SAML 认证。' },
        language,
      );
      return { msg: values.AUTH_SAML === true ? works : `${works} ${off}`, steps };
    },
  });
}
