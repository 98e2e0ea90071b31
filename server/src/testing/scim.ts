import type { ScimTokenCreated } from '@sallyport/contract';
import type { Client, Json } from './client.ts';
import type { TestProgram } from './test-program.ts';

export interface ScimRequest {
  readonly method: string;
  /** Below `/scim/v2/`. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request of an identity provider. */
export async function sendScim(
  test: TestProgram,
  { method, path, body, headers }: ScimRequest,
): Promise<{ readonly status: number; readonly body: Json; readonly headers: Headers }> {
  const response = await fetch(new URL(`/scim/v2/${path}`, test.program.url), {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/scim+json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? {} : (JSON.parse(text) as Json),
    headers: response.headers,
  };
}

/** Switches SCIM on and creates the token of an identity provider. */
export async function createScimToken(admin: Client): Promise<ScimTokenCreated> {
  const { status } = await admin.patch('settings/setting/', { AUTH_SCIM: true });
  if (status !== 200) throw new Error(`SCIM could not be switched on: ${status}`);
  const wish = { name: 'Entra ID', source: 'saml', date_expired: null };
  return (await admin.post<ScimTokenCreated>('settings/scim/tokens/', wish)).body;
}
