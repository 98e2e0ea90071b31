import type { Language, LocalText, OpenidTestStep } from '@sallyport/contract';
import { say } from '@sallyport/contract';
import { type Configuration, genericGrantRequest, ResponseBodyError, randomPKCECodeVerifier } from 'openid-client';
import { ask } from './flow.ts';
import { findProvider, isProtected, type ProviderSettings, TIMEOUT_SECONDS } from './provider.ts';

type Name = OpenidTestStep['step'];

const LABELS: Readonly<Record<Name, LocalText>> = {
  discovery: { en: 'Discovery', zh: '发现配置' },
  keys: { en: 'Signing keys', zh: '签名密钥' },
  endpoints: { en: 'Endpoints', zh: '端点' },
  client: { en: 'Client', zh: '客户端' },
  redirect: { en: 'Redirect address', zh: '回调地址' },
};
/** What providers answer to a client they do not know, or whose secret is wrong. */
const UNKNOWN_CLIENT = new Set(['invalid_client', 'unauthorized_client']);
const MAX_ANSWER = 1_000_000;

/** What trying a provider out takes. */
export interface TrialOptions {
  readonly settings: ProviderSettings;
  readonly scopes: string;
  readonly redirect: string;
  readonly language: Language;
}

/** Fetches something of a provider without following it elsewhere, and without reading more of it than makes sense. */
async function fetchOf(address: string, language: Language): Promise<{ readonly status: number; readonly text: string }> {
  const url = new URL(address);
  if (!isProtected(url)) throw new Error(say({ en: '{url} is not protected by HTTPS.', zh: '{url} 未使用 HTTPS。' }, language, { url: url.href }));
  const response = await fetch(url, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1_000),
    headers: { accept: 'application/json, text/html' },
  });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_ANSWER) throw new Error(say({ en: 'The answer of {url} has no end.', zh: '{url} 的响应过大。' }, language, { url: url.href }));
    parts.push(part);
  }
  return { status: response.status, text: Buffer.concat(parts).toString() };
}

async function countKeys(provider: Configuration, language: Language): Promise<string> {
  const { jwks_uri: address = '' } = provider.serverMetadata();
  if (!address) throw new Error(say({ en: 'The provider names no keys.', zh: '认证服务未提供签名密钥地址。' }, language));
  const { status, text } = await fetchOf(address, language);
  if (status !== 200) throw new Error(`${address}: HTTP ${status}`);
  const { keys } = JSON.parse(text) as { keys?: unknown };
  const usable = Array.isArray(keys) ? keys.filter((key: { use?: unknown }) => key?.use === undefined || key.use === 'sig') : [];
  if (usable.length === 0) throw new Error(say({ en: 'There is no key that signs.', zh: '没有可用于签名的密钥。' }, language));
  const kinds = [...new Set(usable.map((key: { alg?: unknown; kty?: unknown }) => String(key.alg ?? key.kty)))].join(', ');
  return say({ en: '{count} ({kinds})', zh: '{count} 个（{kinds}）' }, language, { count: usable.length, kinds });
}

function listEndpoints(provider: Configuration, language: Language): string {
  const server = provider.serverMetadata();
  const missing = (['authorization_endpoint', 'token_endpoint'] as const).filter((name) => !server[name]);
  if (missing.length > 0) throw new Error(missing.join(', '));
  const types = server.response_types_supported;
  if (types && !types.includes('code'))
    throw new Error(say({ en: 'The provider does not offer the authorization code.', zh: '认证服务不支持授权码模式。' }, language));
  return [server.authorization_endpoint, server.token_endpoint, server.userinfo_endpoint, server.end_session_endpoint].filter(Boolean).join(' · ');
}

/** Asks for a token with a code that is none: a provider that knows the client refuses the code, and not the client. */
async function checkClient(provider: Configuration, redirect: string, language: Language): Promise<string> {
  try {
    await genericGrantRequest(provider, 'authorization_code', { code: 'sallyport-trial', redirect_uri: redirect, code_verifier: randomPKCECodeVerifier() });
  } catch (error) {
    // Some say so with a header alone; the client is what they refuse either way.
    if (!(error instanceof ResponseBodyError)) throw error;
    if (UNKNOWN_CLIENT.has(error.error)) throw new Error([error.error, error.error_description].filter(Boolean).join(': '));
  }
  return say({ en: 'The provider knows it.', zh: '认证服务已识别。' }, language);
}

/** Begins a sign-in as a browser would: what the provider does not accept is refused there and then. */
async function checkRedirect(provider: Configuration, { redirect, scopes, language }: TrialOptions): Promise<string> {
  const { url } = await ask(provider, redirect, scopes, '/');
  const { status } = await fetchOf(url.href, language);
  if (status >= 400)
    throw new Error(
      say({ en: 'HTTP {status}. Register {redirect} at the provider.', zh: 'HTTP {status}。请在认证服务中登记 {redirect}。' }, language, { status, redirect }),
    );
  return redirect;
}

/** The innermost reason: libraries wrap what the network says. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message ? `${error.message}: ${error.cause.message}` : error.message;
}

/** Tries a provider out step by step, over the road that a sign-in takes; ends at the first step that fails. */
export async function tryProvider(options: TrialOptions): Promise<OpenidTestStep[]> {
  const { settings, redirect, language } = options;
  const steps: OpenidTestStep[] = [];
  const take = async <T>(step: Name, work: () => Promise<T> | T, tell: (result: T) => string): Promise<T | undefined> => {
    const begin = performance.now();
    const done = (ok: boolean, detail: string) =>
      steps.push({ step, label: say(LABELS[step], language), ok, detail: detail.slice(0, 2_000), milliseconds: Math.round(performance.now() - begin) });
    try {
      const result = await work();
      done(true, tell(result));
      return result;
    } catch (error) {
      done(false, reasonOf(error));
      return undefined;
    }
  };
  const text = (result: string) => result;
  const provider = await take(
    'discovery',
    () => findProvider(settings),
    (found) => found.serverMetadata().issuer,
  );
  if (!provider) return steps;
  const others: readonly [Name, () => Promise<string> | string][] = [
    ['keys', () => countKeys(provider, language)],
    ['endpoints', () => listEndpoints(provider, language)],
    ['client', () => checkClient(provider, redirect, language)],
    ['redirect', () => checkRedirect(provider, options)],
  ];
  for (const [name, work] of others) if ((await take(name, work, text)) === undefined) break;
  return steps;
}
