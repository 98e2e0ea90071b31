/// <reference path="./oidc-provider.d.ts" />
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Provider from 'oidc-provider';

/** Claims of a user at the provider. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** A real OpenID Connect provider. It signs in every visitor as `who` without a question. */
export interface OpenidProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret: string;
  who: Claims;
  /** Modifies ID tokens, for attacks. */
  tamper: ((token: string) => string) | undefined;
  /** Signs a token with the provider's key or another one. */
  mint(
    payload: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, unknown>>,
    key?: KeyObject,
  ): string;
  stop(): Promise<void>;
}

const CLIENT = { id: 'sallyport', secret: 'client hunter2 of some length' };
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns the claims of a token without verifying it. */
export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** Methods with which a client sends its secret, by the names of the standard. */
export interface ClientMethods {
  /** The methods that the metadata lists; `none` omits the list. */
  readonly listed: readonly string[] | 'none';
  /** The one that the provider takes from the client. */
  readonly taken: 'client_secret_basic' | 'client_secret_post';
}

/**
 * Starts a provider with one client at `site`. oidc-provider 9.13.3 takes a secret from the header
 * and from the body. With `methods` it takes one of them only, like fosite 0.49, the library of Ory
 * Hydra and Authelia.
 */
export async function startOpenidProvider(
  site: string,
  methods?: ClientMethods,
): Promise<OpenidProvider> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const base = site.replace(/\/$/, '');
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${base}/core/auth/openid/callback/`],
        post_logout_redirect_uris: [`${base}/core/auth/login/`],
        token_endpoint_auth_method: methods?.taken ?? 'client_secret_post',
      },
    ],
    jwks: {
      keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' }],
    },
    cookies: { keys: ['only for tests'] },
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username', 'groups'],
      email: ['email', 'email_verified'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => '/interaction' },
    findAccount: async (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ ...running.who, sub: id }),
    }),
    loadExistingGrant: async (context: {
      oidc: { client: { clientId: string }; session: { accountId: string } };
    }) => {
      const grant = new provider.Grant({
        accountId: context.oidc.session.accountId,
        clientId: context.oidc.client.clientId,
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();
  server.on('request', (request, response) => {
    const path = new URL(request.url ?? '/', issuer).pathname;
    if (path === '/interaction')
      void provider.interactionFinished(request, response, {
        login: { accountId: running.who.sub },
      });
    else if (path === '/token' && methods && methods.taken !== methodOf(request))
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: 'invalid_client', error_description: 'another method' }));
    else {
      if (path === '/.well-known/openid-configuration' && methods)
        rewrite(response, ({ token_endpoint_auth_methods_supported: _own, ...body }) =>
          methods.listed === 'none'
            ? body
            : { ...body, token_endpoint_auth_methods_supported: methods.listed },
        );
      if (path === '/token')
        rewrite(response, (body) =>
          body.id_token && running.tamper
            ? { ...body, id_token: running.tamper(String(body.id_token)) }
            : body,
        );
      callback(request, response);
    }
  });
  const running: OpenidProvider = {
    issuer,
    clientId: CLIENT.id,
    secret: CLIENT.secret,
    who: { sub: 'nobody' },
    tamper: undefined,
    mint(payload, header = { alg: 'RS256', kid: 'test' }, key = privateKey) {
      const signed = `${encode(header)}.${encode(payload)}`;
      return `${signed}.${header.alg === 'none' ? '' : sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return running;
}

const methodOf = ({ headers }: IncomingMessage): ClientMethods['taken'] =>
  headers.authorization ? 'client_secret_basic' : 'client_secret_post';

/** Modifies the JSON of an answer. */
function rewrite(
  response: ServerResponse,
  change: (body: Record<string, unknown>) => Record<string, unknown>,
): void {
  const end = response.end.bind(response);
  response.end = ((chunk?: unknown) => {
    if (typeof chunk !== 'string' && !Buffer.isBuffer(chunk)) return end();
    const body = JSON.parse(chunk.toString()) as Record<string, unknown>;
    const changed = JSON.stringify(change(body));
    response.setHeader('content-length', Buffer.byteLength(changed));
    return end(changed);
  }) as typeof response.end;
}
