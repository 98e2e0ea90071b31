import { Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Context } from '../../http/context.ts';
import { notFound, Refusal } from '../../http/problem.ts';
import { route } from '../../http/route.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { mergePatch } from './merge-patch.ts';
import { PREFERENCES } from './wire-shapes.ts';

/** More than a person can choose in a console. */
const MAX_BYTES = 65_536;
const URL = '/api/v1/users/preferences/';

/** Refuses what PostgreSQL's jsonb does not keep. */
function assertStorable(text: string): void {
  if (text.includes('\u0000')) throw new Refusal(400, 'nul_byte');
  if (!text.isWellFormed()) throw new Refusal(400, 'not_string');
}

/** How people like the console to look. A change names what changes and nothing else: two windows do not undo each other. */
export function mountPreferences(app: FastifyInstance, db: Db): void {
  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.USE,
    summary: 'What the caller likes the console to look like.',
    answer: PREFERENCES,
    handler: ({ actor }) => read(actor.userId, db),
  });
  route(app, {
    method: 'PATCH',
    url: URL,
    access: Permission.USE,
    bodyLimit: 16_384,
    summary: 'Change some of them, as a merge patch: null takes away.',
    bodyShape: PREFERENCES,
    answer: PREFERENCES,
    async handler({ actor, request }: Context) {
      const { body } = request;
      if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Refusal(400, 'not_object');
      return db.transaction().execute(async (tx) => {
        const merged = mergePatch(await read(actor.userId, tx, true), body);
        const text = JSON.stringify(merged, (name, value: unknown) => {
          assertStorable(name);
          if (typeof value === 'string') assertStorable(value);
          return value;
        });
        if (Buffer.byteLength(text) > MAX_BYTES) throw new Refusal(413, 'body_too_large', { max: MAX_BYTES });
        await sql`update account set preferences = ${text}::jsonb where id = ${actor.userId}`.execute(tx);
        return merged;
      });
    },
  });
}

async function read(userId: string, db: Db | Tx, lock = false): Promise<unknown> {
  const { rows } = await sql<{ preferences: unknown }>`
    select preferences from account where id = ${userId} ${lock ? sql`for update` : sql``}`.execute(db);
  if (!rows[0]) throw notFound();
  return rows[0].preferences;
}
