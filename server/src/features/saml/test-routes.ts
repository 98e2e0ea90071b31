import type { X509Certificate } from 'node:crypto';
import { type Language, type SamlTest, SETTING_CATEGORIES, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { refuseMetadata } from '../../platform/address-policy.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors.ts';
import { SUPER } from '../../platform/settings/service.ts';
import { assertPassed, TestSteps } from '../../platform/settings/test-steps.ts';
import { type OwnKey, ownKey } from './exchange.ts';
import type { IdentityProvider, ServiceProvider } from './metadata.ts';
import { PATHS } from './names.ts';
import { findProvider, type MetadataSource } from './provider.ts';
import { newId, signedAddress } from './redirect.ts';
import { signOnRequest } from './requests.ts';
import { serviceOf } from './service-provider.ts';

const LABELS = {
  metadata: { en: 'Metadata', zh: '元数据' },
  endpoints: { en: 'Endpoints', zh: '端点' },
  certificates: { en: 'Certificates', zh: '证书' },
  ourselves: { en: 'This server', zh: '本系统' },
  request: { en: 'Sign-in request', zh: '登录请求' },
};
const TIMEOUT_MILLISECONDS = 10_000;

interface SamlTestOptions {
  readonly source: MetadataSource;
  readonly us: ServiceProvider;
  readonly key: OwnKey;
  readonly language: Language;
}

const dayOf = (date: string) => new Date(date).toISOString().slice(0, 10);

/**
 * Lists the certificates with their expiry. Expired ones are an error only if no other is left:
 * providers rotate keys.
 */
function describeCertificates(
  certificates: readonly X509Certificate[],
  language: Language,
): string {
  const descriptions = certificates.map(({ subject, validTo }) =>
    say({ en: '{subject}, until {date}', zh: '{subject}，有效期至 {date}' }, language, {
      subject: subject?.replaceAll('\n', ', ') ?? '',
      date: dayOf(validTo),
    }),
  );
  const isUsable = certificates.some(
    ({ validTo, publicKey }) =>
      Date.parse(validTo) > Date.now() && publicKey.asymmetricKeyType === 'rsa',
  );
  if (!isUsable)
    throw new Error(
      [
        say(
          { en: 'No usable certificate (RSA, not expired)', zh: '没有可用的证书（RSA 且未过期）' },
          language,
        ),
        ...descriptions,
      ].join(': '),
    );
  return descriptions.join(' · ');
}

/**
 * Sends a sign-in request as a browser would. Many providers reject an unknown server immediately.
 */
async function checkRequest(
  provider: IdentityProvider,
  us: ServiceProvider,
  { privateKey }: OwnKey,
  language: Language,
): Promise<string> {
  const address = signedAddress({
    location: provider.signOn,
    kind: 'SAMLRequest',
    message: signOnRequest(newId(), us, provider),
    key: privateKey,
  });
  await refuseMetadata(new URL(address).hostname);
  const { status, body } = await fetch(address, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
  });
  await body?.cancel();
  if (status >= 400)
    throw new Error(
      say(
        {
          en: 'HTTP {status}. Register {entity} at the provider.',
          zh: 'HTTP {status}。请在身份提供方登记 {entity}。',
        },
        language,
        {
          status,
          entity: us.entityId,
        },
      ),
    );
  return say({ en: 'The provider accepts the request.', zh: '身份提供方接受该请求。' }, language);
}

/** Tests a provider step by step. Stops at the first failed step. */
async function testProvider({
  source,
  us,
  key,
  language,
}: SamlTestOptions): Promise<SamlTest['steps']> {
  const steps = new TestSteps(LABELS, language);
  const provider = await steps.take(
    'metadata',
    () => findProvider(source),
    ({ entityId }) => entityId,
  );
  if (!provider) return steps.taken;
  await steps.takeAll([
    ['endpoints', () => [provider.signOn, provider.signOut?.request].filter(Boolean).join(' · ')],
    ['certificates', () => describeCertificates(provider.certificates, language)],
    [
      'ourselves',
      () =>
        `${us.entityId} · ${us.site}${PATHS.metadata} · ${describeCertificates([key.certificate], language)}`,
    ],
    ['request', () => checkRequest(provider, us, key, language)],
  ]);
  return steps.taken;
}

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
    area: 'security',
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
