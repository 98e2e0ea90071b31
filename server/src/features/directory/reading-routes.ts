import {
  ERRORS,
  formatDatetime,
  type LdapReading,
  SOURCE_STATE_LABELS,
  say,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { systemCaller } from '../../platform/actor.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { Conflict } from '../../platform/errors.ts';
import { SUPER } from '../../platform/settings/service.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import type { Writer } from '../../resources/write/writer.ts';
import { applySourceStates } from '../identity/index.ts';
import { lastReading, storeConfirmed } from './reading-store.ts';

const URL = '/api/v1/settings/ldap/reading/';
/** Maximum people that the answer names. */
const MOST_NAMED = 1_000;
const HELD = {
  reading: text({
    label: { en: 'Held read', zh: '待确认的读取' },
    max: 36,
    example: exampleId('job'),
  }),
};
const EXAMPLE: LdapReading = {
  date_read: '2026-01-31 02:30:00 +0800',
  failing_since: null,
  reason: '',
  held: {
    id: exampleId('job'),
    date: '2026-01-31 02:30:00 +0800',
    count: 12,
    of: 40,
    recent: 3,
    people: [
      { username: 'li.wei', name: 'Li Wei', state: 'gone', state_display: 'No longer listed' },
    ],
  },
};

interface ReadingOptions {
  readonly db: Db;
  readonly accounts: () => Writer;
  readonly audit: AuditWriter;
}

/** Mounts the routes for the last read of the directory, and for the confirmation of a held one. */
export function mountReading(app: FastifyInstance, options: ReadingOptions): void {
  route(app, {
    method: 'GET',
    url: URL,
    access: SUPER,
    area: 'users',
    summary:
      'The last read of the LDAP directory, and a read that would end the access of many users and waits for a confirmation.',
    answer: samples<LdapReading>(EXAMPLE, {
      ...EXAMPLE,
      date_read: null,
      failing_since: '2026-01-31 02:30:00 +0800',
      held: null,
    }),
    handler: (context) => describe(options, context),
  });
  route(app, {
    method: 'POST',
    url: `${URL}confirm/`,
    access: SUPER,
    area: 'users',
    body: HELD,
    summary: 'End the access of the users that a held read of the LDAP directory names.',
    answer: samples({ ended: 12 }),
    handler: (context) => confirm(options, context),
  });
}

async function describe({ db }: ReadingOptions, { zone, language }: Context): Promise<LdapReading> {
  const { date_read, failing_since, reason, ...row } = await lastReading(db);
  const date = (moment: Date | null) => moment && formatDatetime(moment, zone);
  const { held_id: id, held, date_held, held_of: of, held_recent: recent } = row;
  return {
    date_read: date(date_read),
    failing_since: date(failing_since),
    reason: failing_since ? say(ERRORS.directory_failed, language, { step: 'LDAP', reason }) : '',
    held:
      id && held && date_held
        ? {
            id,
            date: formatDatetime(date_held, zone),
            count: held.length,
            of: of ?? 0,
            recent: recent ?? 0,
            people: held.slice(0, MOST_NAMED).map(({ username, name, state }) => ({
              username,
              name,
              state,
              state_display: say(SOURCE_STATE_LABELS[state], language),
            })),
          }
        : null,
  };
}

/** @throws Conflict if a later read has replaced the held one */
async function confirm(
  { db, accounts, audit }: ReadingOptions,
  context: Context,
): Promise<{ ended: number }> {
  const { reading: id } = readBody(context, HELD);
  return transact(db, async (tx) => {
    const { held_id, held, held_digest } = await lastReading(tx, true);
    if (!held || held_id !== id) throw new Conflict('directory_held_changed');
    await audit(tx, context, {
      action: 'update',
      resourceType: 'ldap_reading',
      resource: 'LDAP',
      resourceId: id,
      changes: { people: [null, held.map(({ username }) => username).join(', ')] },
    });
    const caller = {
      ...systemCaller('LDAP', context.actor.remoteAddress),
      requestedBy: context.actor,
    };
    await applySourceStates(held, { writer: accounts(), caller, tx });
    await storeConfirmed(held_digest ?? '', tx);
    return { ended: held.length };
  });
}
