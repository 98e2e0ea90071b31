import type { X509Certificate } from 'node:crypto';
import type { Language, SamlTest } from '@sallyport/contract';
import { say } from '@sallyport/contract';
import { refuseMetadata } from '../../platform/metadata-address.ts';
import { TestSteps } from '../../platform/settings/test-steps.ts';
import type { IdentityProvider, ServiceProvider } from './metadata.ts';
import { PATHS } from './names.ts';
import type { OwnKey } from './own-key.ts';
import { findProvider, type MetadataSource } from './provider.ts';
import { newId, signedAddress } from './redirect.ts';
import { signOnRequest } from './requests.ts';

const LABELS = {
  metadata: { en: 'Metadata', zh: '元数据' },
  endpoints: { en: 'Endpoints', zh: '端点' },
  certificates: { en: 'Certificates', zh: '证书' },
  ourselves: { en: 'This server', zh: '本系统' },
  request: { en: 'Sign-in request', zh: '登录请求' },
};
const TIMEOUT_MILLISECONDS = 10_000;

export interface SamlTestOptions {
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
export async function testProvider({
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
