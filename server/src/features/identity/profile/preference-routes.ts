import { Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../../http/context.ts';
import { route } from '../../../http/route.ts';
import type { Db } from '../../../platform/db/database.ts';
import { Rejected, TooLarge } from '../../../platform/errors.ts';
import { preferencesOf, storePreferences } from '../accounts/store.ts';
import { PREFERENCES } from '../wire-shapes.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Applies a JSON merge patch (RFC 7396): replaces members by name, merges objects recursively, null
 * removes.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name), value));
  }
  return Object.fromEntries(members);
}

/** Maximum bytes of stored preferences, far above normal use. */
const MAX_BYTES = 65_536;
const URL = '/api/v1/users/preferences/';

/** Rejects texts that PostgreSQL's jsonb cannot store. */
function assertStorable(text: string): void {
  if (text.includes('\u0000')) throw new Rejected('nul_byte');
  if (!text.isWellFormed()) throw new Rejected('not_string');
}

/**
 * Routes of console preferences. A change contains only changed members, so that two windows do not
 * overwrite each other.
 */
export function mountPreferences(app: FastifyInstance, db: Db): void {
  route(app, {
    method: 'GET',
    url: URL,
    access: Permission.USE,
    area: 'own',
    summary: 'Your preferences for the console.',
    answer: PREFERENCES,
    handler: ({ actor }) => preferencesOf(actor.userId, db),
  });
  route(app, {
    method: 'PATCH',
    url: URL,
    access: Permission.USE,
    area: 'own',
    bodyLimit: 16_384,
    summary: 'Change preferences by a merge patch; null removes one.',
    bodyShape: PREFERENCES,
    answer: PREFERENCES,
    async handler({ actor, request }: Context) {
      const { body } = request;
      if (typeof body !== 'object' || body === null || Array.isArray(body))
        throw new Rejected('not_object');
      return db.transaction(async (tx) => {
        const merged = mergePatch(await preferencesOf(actor.userId, tx, true), body);
        const text = JSON.stringify(merged, (name, value: unknown) => {
          assertStorable(name);
          if (typeof value === 'string') assertStorable(value);
          return value;
        });
        if (Buffer.byteLength(text) > MAX_BYTES)
          throw new TooLarge('body_too_large', { max: MAX_BYTES });
        await storePreferences(actor.userId, text, tx);
        return merged;
      });
    },
  });
}
