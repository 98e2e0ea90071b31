import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { type GeneratedKey, Permission, type PublicKeyInfo, user } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import ssh2 from 'ssh2';
import type { Context } from '../../http/context.ts';
import { Invalid, invalid, Refusal } from '../../http/problem.ts';
import type { AuditWriter } from '../../http/resource/hooks.ts';
import { readBody, route } from '../../http/route.ts';
import type { Db } from '../../platform/db/database.ts';
import type { SettingsService } from '../settings/service.ts';
import { describePublicKey, ownKeyProblem } from './public-key.ts';
import { assertSignedIn } from './signed-in.ts';
import { GENERATED_KEY, PUBLIC_KEY, PUBLIC_KEY_BODY } from './wire-shapes.ts';

const URL = '/api/v1/users/profile/public-key/';
const makeKeyPair = promisify(generateKeyPair);

/** A new pair: the private key as clients read it, the public one as one line. */
async function newPair(comment: string): Promise<{ privateKey: string; publicKey: string }> {
  const { privateKey } = await makeKeyPair('rsa', {
    modulusLength: 3072,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  return { privateKey, publicKey: `ssh-rsa ${parsed.getPublicSSH().toString('base64')} ${comment}` };
}

/** The own SSH public key: read, replaced, or made here. */
export function mountPublicKey(app: FastifyInstance, { db, audit, settings }: { db: Db; audit: AuditWriter; settings: Pick<SettingsService, 'get'> }): void {
  const read = async ({ actor }: Context): Promise<PublicKeyInfo> => {
    const { rows } = await sql<{ public_key: string | null }>`select public_key from account where id = ${actor.userId}`.execute(db);
    const line = rows[0]?.public_key ?? '';
    return { public_key: line, ...describePublicKey(line) };
  };
  const store = (line: string, context: Context) =>
    db.transaction().execute(async (tx) => {
      const { actor } = context;
      await sql`update account set public_key = ${line} where id = ${actor.userId}`.execute(tx);
      await audit(tx, context, {
        action: 'update',
        resourceType: 'user',
        resource: `${actor.name}(${actor.username})`,
        resourceId: actor.userId,
        changes: { public_key: ['******', '******'] },
      });
    });

  route(app, { method: 'GET', url: URL, access: Permission.USE, summary: 'The own SSH public key.', answer: PUBLIC_KEY, handler: read });

  route(app, {
    method: ['PUT', 'PATCH'],
    url: URL,
    access: Permission.USE,
    summary: 'Replace the own SSH public key.',
    bodyShape: PUBLIC_KEY_BODY,
    answer: PUBLIC_KEY,
    async handler(context) {
      assertSignedIn(context);
      const { public_key } = readBody(context, { public_key: { ...user.fields.public_key, required: true } });
      const line = String(public_key).trim();
      if (line === '') throw invalid('public_key', 'required');
      const problem = ownKeyProblem(line, settings);
      if (problem) throw new Invalid({ public_key: [problem] });
      await store(line, context);
      return read(context);
    },
  });

  route(app, {
    method: 'POST',
    url: `${URL}generate/`,
    access: Permission.USE,
    summary: 'Make a new pair of keys; the private one is told once.',
    answer: GENERATED_KEY,
    async handler(context): Promise<GeneratedKey> {
      assertSignedIn(context);
      const { username } = context.actor;
      const { privateKey, publicKey } = await newPair(username);
      const problem = ownKeyProblem(publicKey, settings);
      if (problem) throw new Refusal(403, problem.code);
      await store(publicKey, context);
      return { ...(await read(context)), private_key: privateKey, filename: `${username.replace(/[^\w.@-]/g, '_')}-sallyport.pem` };
    },
  });
}
