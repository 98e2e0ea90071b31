import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import {
  computed,
  type GeneratedKey,
  Permission,
  type PublicKeyInfo,
  secret,
  user,
} from '@sallyport/contract';
import { parseKey } from '@sallyport/ssh';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { readBody, route } from '../../../http/route.ts';
import { transact } from '../../../platform/db/database.ts';
import { Forbidden, Invalid, invalid } from '../../../platform/errors.ts';
import { describePublicKey } from '../../../platform/ssh-keys.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import { publicKeyOf, setPublicKey } from '../accounts/store.ts';
import { assertConfirmed, type ConfirmServices } from '../mfa/confirmed.ts';
import { objectBody } from '../sign-in/bodies.ts';
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import { GENERATED_KEY, PASSWORD_BODY, PUBLIC_KEY, PUBLIC_KEY_BODY } from '../wire-shapes.ts';
import { ownKeyProblem } from './profile.ts';

const URL = '/api/v1/users/profile/public-key/';
const KEY_FORM = {
  public_key: { ...user.fields.public_key, required: true as const },
  // Read-only, so that clients can send back a response.
  public_key_comment: computed.string({ label: { en: 'Key comment', zh: '密钥注释' } }),
  public_key_hash_md5: computed.string({ label: { en: 'Key fingerprint', zh: '密钥指纹' } }),
};
/** With the password as confirmation. */
const KEY_BODY = {
  ...KEY_FORM,
  password: secret({ label: user.fields.password.label, max: 1024 }),
};
const makeKeyPair = promisify(generateKeyPair);

/** Creates a key pair: the private key as PEM for clients, the public key as an OpenSSH line. */
async function newPair(comment: string): Promise<{ privateKey: string; publicKey: string }> {
  const { privateKey } = await makeKeyPair('rsa', {
    modulusLength: 3072,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const parsed = parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  return {
    privateKey,
    publicKey: `ssh-rsa ${parsed.getPublicSSH().toString('base64')} ${comment}`,
  };
}

/** Routes that read, replace or generate the caller's SSH public key. */
export function mountPublicKey(
  app: FastifyInstance,
  services: ConfirmServices & { readonly audit: AuditWriter },
): void {
  const { db, audit, settings } = services;
  const read = async ({ actor }: Context): Promise<PublicKeyInfo> => {
    const line = await publicKeyOf(actor.userId, db);
    return { public_key: line, ...describePublicKey(line) };
  };
  const store = (line: string, context: Context) =>
    transact(db, async (tx) => {
      const { actor } = context;
      await setPublicKey(actor.userId, line, tx);
      await audit(tx, context, {
        action: 'update',
        resourceType: 'user',
        resource: `${actor.name}(${actor.username})`,
        resourceId: actor.userId,
        changes: { public_key: ['******', '******'] },
      });
    });

  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.USE,
    area: 'own',
    summary: 'Your SSH public key.',
    answer: PUBLIC_KEY,
    handler: read,
  });

  route(app, {
    method: ['PUT', 'PATCH'],
    url: URL,
    access: Permission.USE,
    area: 'own',
    summary: 'Replace your SSH public key. Requires the password or a second factor.',
    bodyShape: PUBLIC_KEY_BODY,
    form: KEY_FORM,
    answer: PUBLIC_KEY,
    async handler(context) {
      assertSignedIn(context);
      const { public_key, password } = readBody(context, KEY_BODY);
      const line = public_key.trim();
      if (line === '') throw invalid('public_key', 'required');
      const problem = ownKeyProblem(line, settings);
      if (problem) throw new Invalid({ public_key: [problem] });
      if (line !== (await publicKeyOf(context.actor.userId, db))) {
        await assertConfirmed(context, password, services, true).catch((error: unknown) => {
          // Existing consoles have no password field: they show the message at the key.
          if (!(error instanceof Invalid) || Object.hasOwn(objectBody(context), 'password'))
            throw error;
          throw new Invalid({ ...error.problems, public_key: [{ code: 'key_needs_password' }] });
        });
        await store(line, context);
      }
      return read(context);
    },
  });

  route(app, {
    method: 'POST',
    url: `${URL}generate/`,
    access: Permission.USE,
    area: 'own',
    summary:
      'Create a key pair. Requires the password or a second factor; the private key is returned once.',
    bodyShape: PASSWORD_BODY,
    answer: GENERATED_KEY,
    async handler(context): Promise<GeneratedKey> {
      if (!settings.get('TERMINAL_PUBLIC_KEY_AUTH')) throw new Forbidden('public_key_off');
      await assertConfirmed(context, objectBody(context).password, services, true);
      const { username } = context.actor;
      const { privateKey, publicKey } = await newPair(username);
      await store(publicKey, context);
      return {
        ...(await read(context)),
        private_key: privateKey,
        filename: `${username.replace(/[^\w.@-]/g, '_')}-sallyport.pem`,
      };
    },
  });
}
