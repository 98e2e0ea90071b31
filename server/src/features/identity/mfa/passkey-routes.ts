import {
  formatDatetime,
  isUuid,
  type MfaEnrolled,
  type Passkey,
  type PasskeyBegin,
  Permission,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { parameter, readBody, route } from '../../../http/route.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { notFound, Rejected } from '../../../platform/errors.ts';
import { objectBody, PASSKEY_NAME, readPart } from '../sign-in/bodies.ts';
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import {
  NEW_PASSKEY,
  PASSKEY,
  PASSKEY_ANSWER,
  PASSKEY_BEGIN,
  PASSKEYS,
  PASSWORD_BODY,
} from '../wire-shapes.ts';
import {
  assertConfirmed,
  deletePasskey,
  markProved,
  passkeysOf,
  renamePasskey,
} from './confirmed.ts';
import { siteOf } from './passkeys.ts';
import { auditFactors, holderOfActor, type MfaOptions } from './routes.ts';

const URL = '/api/v1/authentication/passkeys/';
const RENAMING = { name: PASSKEY_NAME };
/** Maximum passkeys of a user. Every challenge contains the list of known ones. */
const MAX_PASSKEYS = 20;

/** Returns the passkeys of the caller, or the one with an id. */
async function listPasskeys(
  { actor, zone }: Context,
  on: Db | Tx,
  id?: string,
): Promise<Passkey[]> {
  const rows = await passkeysOf(actor.userId, on, id);
  return rows.map((row) => ({
    ...row,
    date_created: formatDatetime(row.date_created, zone),
    date_last_used: row.date_last_used && formatDatetime(row.date_last_used, zone),
  }));
}

/** @throws NotFound */
async function findPasskey(context: Context, on: Db | Tx, id: string): Promise<Passkey> {
  const [passkey] = isUuid(id) ? await listPasskeys(context, on, id) : [];
  if (!passkey) throw notFound();
  return passkey;
}

const passkeyIn = (context: Context, db: Db) => findPasskey(context, db, parameter(context, 'id'));

/** Returns the options for a new passkey. @throws Rejected with too many passkeys */
async function beginPasskey(options: MfaOptions, context: Context): Promise<PasskeyBegin> {
  const { factors, publicUrl } = options;
  const site = siteOf(context, publicUrl);
  await assertConfirmed(context, objectBody(context).password, options);
  const { userId, username, name } = context.actor;
  if ((await factors.summary(userId)).passkeys >= MAX_PASSKEYS)
    throw new Rejected('list_too_long', { max: MAX_PASSKEYS });
  return {
    options: await factors.passkeys.beginRegistration(
      holderOfActor(context),
      { id: userId, username, name },
      site,
    ),
  };
}

/** Stores a new passkey. */
async function finishPasskey(
  { db, factors, audit, publicUrl }: MfaOptions,
  context: Context,
): Promise<Passkey & MfaEnrolled> {
  assertSignedIn(context);
  const site = siteOf(context, publicUrl);
  const body = objectBody(context);
  const name = readPart(body, RENAMING).name;
  const { userId, session } = context.actor;
  const passkey = await db.transaction(async (tx) => {
    const id = await factors.passkeys.finishRegistration(
      { holder: holderOfActor(context), userId, name, response: body.response, site },
      tx,
    );
    const enrolled = await factors.added(userId, tx);
    await markProved(session.id, tx);
    await auditFactors(audit, context, tx, { passkey: [null, name] });
    return { ...(await findPasskey(context, tx, id)), ...enrolled };
  });
  context.reply.code(201);
  return passkey;
}

/** Renames a passkey. */
async function rename({ db }: MfaOptions, context: Context): Promise<Passkey> {
  assertSignedIn(context);
  const { name } = readBody(context, RENAMING);
  const { id } = await passkeyIn(context, db);
  await renamePasskey(context.actor.userId, id, name, db);
  return passkeyIn(context, db);
}

/** Removes a passkey. */
async function remove(options: MfaOptions, context: Context): Promise<void> {
  const { db, factors, audit } = options;
  const { id, name } = await passkeyIn(context, db);
  await assertConfirmed(context, undefined, options);
  const { userId } = context.actor;
  await db.transaction(async (tx) => {
    await deletePasskey(userId, id, tx);
    await factors.removed(userId, tx);
    await auditFactors(audit, context, tx, { passkey: [name, null] });
  });
  context.reply.code(204);
}

/** Routes of the caller's own passkeys. */
export function mountPasskeys(app: FastifyInstance, options: MfaOptions): void {
  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.USE,
    area: 'own',
    summary: 'List your passkeys.',
    answer: PASSKEYS,
    handler: (context) => listPasskeys(context, options.db),
  });
  route(app, {
    method: 'POST',
    url: `${URL}begin/`,
    access: Permission.USE,
    area: 'own',
    summary: 'Options for a new passkey.',
    bodyShape: PASSWORD_BODY,
    answer: PASSKEY_BEGIN,
    bodyLimit: 65_536,
    handler: (context) => beginPasskey(options, context),
  });
  route(app, {
    method: 'POST',
    url: `${URL}finish/`,
    access: Permission.USE,
    area: 'own',
    summary: 'Store the new passkey.',
    bodyShape: PASSKEY_ANSWER,
    answer: NEW_PASSKEY,
    status: 201,
    bodyLimit: 65_536,
    handler: (context) => finishPasskey(options, context),
  });
  route(app, {
    method: 'PATCH',
    url: `${URL}:id/`,
    access: Permission.USE,
    area: 'own',
    summary: 'Rename a passkey.',
    body: RENAMING,
    answer: PASSKEY,
    handler: (context) => rename(options, context),
  });
  route(app, {
    method: 'DELETE',
    url: `${URL}:id/`,
    access: Permission.USE,
    area: 'own',
    summary: 'Remove a passkey.',
    status: 204,
    handler: (context) => remove(options, context),
  });
}
