import {
  choice,
  datetime,
  isUuid,
  SCIM_SOURCES,
  type ScimToken,
  type ScimTokenCreated,
  text,
  USUAL_SCIM_SOURCE,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { parameter, readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { displayName } from '../../platform/actor.ts';
import { databaseClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { Conflict, invalid, notFound, Rejected } from '../../platform/errors.ts';
import { type SettingsService, SUPER } from '../../platform/settings/service.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import {
  addToken,
  approveToken,
  isControlled,
  listTokens,
  MAX_TOKENS,
  removeToken,
} from './tokens.ts';

const DEFAULT_DAYS = 365;
const MAX_DAYS = 3_650;
const DAY = 86_400_000;

const BODY = {
  name: text({ label: { en: 'Name', zh: '名称' }, max: 64, example: 'Entra ID' }),
  source: choice({
    label: { en: 'Users sign in through', zh: '用户登录方式' },
    choices: SCIM_SOURCES.map(({ value, label }) => ({ value, label })),
    defaultValue: USUAL_SCIM_SOURCE,
  }),
  date_expired: datetime({ label: { en: 'Date expired', zh: '失效日期' }, nullable: true }),
};
const TOKEN: ScimToken = {
  id: '00000000-0000-4000-8000-000000000000',
  name: 'Entra ID',
  source: USUAL_SCIM_SOURCE,
  created_by: 'Administrator(admin)',
  date_created: '2026-01-31 08:30:00 +0800',
  date_expired: '2027-01-31 08:30:00 +0800',
  date_last_used: '2026-02-01 08:30:00 +0800',
  last_addr: '192.0.2.1',
  is_expired: false,
  is_approved: true,
  is_own: true,
};

/**
 * SCIM tokens. Administrators of the installation create and revoke them. Only the answer to the
 * creation contains the token.
 */
export function mountScimTokens(
  app: FastifyInstance,
  {
    db,
    audit,
    settings,
  }: {
    readonly db: Db;
    readonly audit: AuditWriter;
    readonly settings: Pick<SettingsService, 'confirm'>;
  },
): void {
  const url = '/api/v1/settings/scim/tokens/';
  route(app, {
    method: 'GET',
    url,
    access: SUPER,
    area: 'changes',
    summary: 'List the SCIM tokens without their secrets.',
    answer: samples<ScimToken[]>([TOKEN]),
    handler: (context) => listTokens(context, db),
  });
  route(app, {
    method: 'POST',
    url,
    access: SUPER,
    area: 'security',
    summary: 'Create a SCIM token. Its secret is returned once.',
    body: BODY,
    answer: samples<ScimTokenCreated>({ ...TOKEN, token: 'sallyport_scim_…' }),
    status: 201,
    async handler(context): Promise<ScimTokenCreated> {
      const { actor, reply } = context;
      const values = readBody(context, BODY);
      const name = values.name.trim();
      const source = values.source ?? USUAL_SCIM_SOURCE;
      const until = values.date_expired ?? new Date(databaseClock.now() + DEFAULT_DAYS * DAY);
      if (until.getTime() <= databaseClock.now())
        throw invalid('date_expired', 'scim_token_end', { max: MAX_DAYS });
      if (until.getTime() > databaseClock.now() + MAX_DAYS * DAY)
        throw invalid('date_expired', 'scim_token_end', { max: MAX_DAYS });
      const created = await db.transaction(async (tx) => {
        if (await isControlled(tx)) throw new Conflict('scim_token_controlled');
        if ((await listTokens(context, tx)).length >= MAX_TOKENS)
          throw new Rejected('scim_too_many_tokens', { max: MAX_TOKENS });
        const added = await addToken(
          { name, source, until, createdBy: displayName(actor) },
          context,
          tx,
        );
        if (!added) throw invalid('name', 'not_unique');
        const changes = {
          source: [null, source] as const,
          date_expired: [null, added.date_expired] as const,
          is_approved: [null, added.is_approved] as const,
        };
        await audit(tx, context, {
          action: 'create',
          resourceType: 'scim_token',
          resource: name,
          resourceId: added.id,
          changes,
        });
        return added;
      });
      reply.code(201).header('cache-control', 'no-store');
      return created;
    },
  });
  route(app, {
    method: 'POST',
    url: `${url}:id/approve/`,
    access: SUPER,
    area: 'changes',
    summary: 'Approve a SCIM token that another administrator created.',
    status: 204,
    async handler(context) {
      const id = parameter(context, 'id');
      if (!isUuid(id)) throw notFound();
      await settings.confirm(context);
      await db.transaction(async (tx) => {
        const name = await approveToken(id, context, tx);
        if (name === undefined) return;
        await audit(tx, context, {
          action: 'update',
          resourceType: 'scim_token',
          resource: name,
          resourceId: id,
          changes: { is_approved: [false, true] },
        });
      });
      return context.reply.code(204).send();
    },
  });
  route(app, {
    method: 'DELETE',
    url: `${url}:id/`,
    access: SUPER,
    area: 'security',
    summary: 'Revoke a SCIM token.',
    status: 204,
    async handler(context) {
      const id = parameter(context, 'id');
      if (!isUuid(id)) throw notFound();
      await db.transaction(async (tx) => {
        const name = await removeToken(id, tx);
        if (name === undefined) throw notFound();
        await audit(tx, context, {
          action: 'delete',
          resourceType: 'scim_token',
          resource: name,
          resourceId: id,
          changes: {},
        });
      });
      return context.reply.code(204).send();
    },
  });
}
