import type { Json } from './client.ts';
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
