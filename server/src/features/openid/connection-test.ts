import { type Language, type OpenidTest, say } from '@sallyport/contract';
import { type Configuration, genericGrantRequest, randomPKCECodeVerifier } from 'openid-client';
import { refuseMetadata } from '../../platform/address-policy.ts';
import { isProtected } from '../../platform/outgoing.ts';
import { TestSteps } from '../../platform/settings/test-steps.ts';
import { startSignIn } from './flow.ts';
import { findProvider, type ProviderSettings, TIMEOUT_SECONDS } from './provider.ts';
import { providerErrorOf } from './provider-errors.ts';

const LABELS = {
  discovery: { en: 'Discovery', zh: '发现配置' },
  keys: { en: 'Signing keys', zh: '签名密钥' },
  endpoints: { en: 'Endpoints', zh: '端点' },
  client: { en: 'Client', zh: '客户端' },
  redirect: { en: 'Redirect URL', zh: '回调地址' },
};
/** Errors of providers for an unknown client or a wrong secret. */
const UNKNOWN_CLIENT = new Set(['invalid_client', 'unauthorized_client']);
const MAX_ANSWER = 1_000_000;

export interface ConnectionTestOptions {
  readonly settings: ProviderSettings;
  readonly scopes: string;
  readonly redirect: string;
  readonly language: Language;
}

/** Fetches a page of a provider without following redirects, up to a maximum size. */
async function fetchOf(
  address: string,
  language: Language,
): Promise<{ readonly status: number; readonly text: string }> {
  const url = new URL(address);
  if (!isProtected(url))
    throw new Error(
      say({ en: '{url} is not protected by HTTPS.', zh: '{url} 未使用 HTTPS。' }, language, {
        url: url.href,
      }),
    );
  await refuseMetadata(url.hostname);
  const response = await fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1_000),
    headers: { accept: 'application/json, text/html' },
  });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER)
      throw new Error(
        say({ en: 'The response of {url} is too large.', zh: '{url} 的响应过大。' }, language, {
          url: url.href,
        }),
      );
    parts.push(part);
  }
  return { status: response.status, text: Buffer.concat(parts).toString() };
}

async function countKeys(provider: Configuration, language: Language): Promise<string> {
  const { jwks_uri: address = '' } = provider.serverMetadata();
  if (!address)
    throw new Error(
      say(
        { en: 'The provider lists no keys address.', zh: '认证服务未提供签名密钥地址。' },
        language,
      ),
    );
  const { status, text } = await fetchOf(address, language);
  if (status !== 200) throw new Error(`${address}: HTTP ${status}`);
  const { keys } = JSON.parse(text) as { keys?: unknown };
  const usable = Array.isArray(keys)
    ? keys.filter((key: { use?: unknown }) => key?.use === undefined || key.use === 'sig')
    : [];
  if (usable.length === 0)
    throw new Error(
      say({ en: 'No signing key available.', zh: '没有可用于签名的密钥。' }, language),
    );
  const kinds = [
    ...new Set(usable.map((key: { alg?: unknown; kty?: unknown }) => String(key.alg ?? key.kty))),
  ].join(', ');
  return say({ en: '{count} ({kinds})', zh: '{count} 个（{kinds}）' }, language, {
    count: usable.length,
    kinds,
  });
}

function listEndpoints(provider: Configuration, language: Language): string {
  const server = provider.serverMetadata();
  const missing = (['authorization_endpoint', 'token_endpoint'] as const).filter(
    (name) => !server[name],
  );
  if (missing.length > 0) throw new Error(missing.join(', '));
  const types = server.response_types_supported;
  if (types && !types.includes('code'))
    throw new Error(
      say(
        {
          en: 'The provider does not support the authorization code flow.',
          zh: '认证服务不支持授权码模式。',
        },
        language,
      ),
    );
  return [
    server.authorization_endpoint,
    server.token_endpoint,
    server.userinfo_endpoint,
    server.end_session_endpoint,
  ]
    .filter(Boolean)
    .join(' · ');
}

/**
 * Requests a token with an invalid code. A provider that knows the client rejects the code, not the
 * client.
 */
async function checkClient(
  provider: Configuration,
  redirect: string,
  language: Language,
): Promise<string> {
  try {
    await genericGrantRequest(provider, 'authorization_code', {
      code: 'sallyport-test',
      redirect_uri: redirect,
      code_verifier: randomPKCECodeVerifier(),
    });
  } catch (error) {
    const answer = providerErrorOf(error);
    if (!answer) throw error;
    const { code, description } = answer;
    if (UNKNOWN_CLIENT.has(code)) throw new Error([code, description].filter(Boolean).join(': '));
  }
  return say(
    { en: 'The provider accepts the redirect URL.', zh: '认证服务接受该回调地址。' },
    language,
  );
}

/**
 * Starts a sign-in as a browser would. The provider rejects a wrong redirect address or scope
 * immediately.
 */
async function checkRedirect(
  provider: Configuration,
  { redirect, scopes, language }: ConnectionTestOptions,
): Promise<string> {
  const { url } = await startSignIn(provider, redirect, scopes);
  const { status } = await fetchOf(url.href, language);
  if (status >= 400)
    throw new Error(
      say(
        {
          en: 'HTTP {status}. Register {redirect} at the provider.',
          zh: 'HTTP {status}。请在认证服务中登记 {redirect}。',
        },
        language,
        { status, redirect },
      ),
    );
  return redirect;
}

/** Tests a provider step by step with the flow of a sign-in. Stops at the first failed step. */
export async function testProvider(options: ConnectionTestOptions): Promise<OpenidTest['steps']> {
  const { settings, redirect, language } = options;
  const steps = new TestSteps(LABELS, language);
  const provider = await steps.take(
    'discovery',
    () => findProvider(settings),
    (server) => server.serverMetadata().issuer,
  );
  if (!provider) return steps.taken;
  await steps.takeAll([
    ['keys', () => countKeys(provider, language)],
    ['endpoints', () => listEndpoints(provider, language)],
    ['client', () => checkClient(provider, redirect, language)],
    ['redirect', () => checkRedirect(provider, options)],
  ]);
  return steps.taken;
}
