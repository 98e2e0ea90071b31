import { type Fields, isUuid, Permission, reference, user } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { neighbors } from '../../http/page.ts';
import { parameter, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { namesOf } from '../../http/wire-shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { readPaging } from '../../resources/read/page.ts';
import type { GrantService } from './grants/service.ts';
import { hasRule, reachedBy, searchText } from './store.ts';

const RULES = '/api/v1/perms/asset-permissions/';

/** Query of the grant checks. It defaults to the caller when `user_id` is absent. */
const CHECK_QUERY: Fields = {
  asset_id: reference({ label: { en: 'Asset', zh: '资产' }, to: 'asset' }),
  system_user_id: reference({ label: { en: 'System user', zh: '系统用户' }, to: 'system_user' }),
  user_id: reference({ label: { en: 'User', zh: '用户' }, to: 'user', required: false }),
};

/** Mounts the users and assets of asset permissions, and the checks of a single grant. */
export function mountRuleRoutes(
  app: FastifyInstance,
  {
    db,
    engines,
    grants,
  }: { readonly db: Db; readonly engines: Engines; readonly grants: GrantService },
): void {
  for (const [what, summary, answer] of [
    [
      'users',
      'Everybody a rule names, directly or through groups.',
      namesOf('user', 'user', 'Li Wei(li.wei)'),
    ],
    [
      'assets',
      'Every asset a rule reaches, directly or through nodes.',
      namesOf('asset', 'asset', 'web-prod-01(10.20.30.41)'),
    ],
  ] as const) {
    route(app, {
      method: 'GET',
      url: `${RULES}:id/${what}/all/`,
      access: Permission.ADMIN,
      area: 'permissions',
      summary,
      answer,
      async handler(context) {
        const id = parameter(context, 'id');
        if (!isUuid(id) || !(await hasRule(id, context.actor.organization.id, db)))
          throw notFound();
        const search = searchText(context.query);
        const { limit, offset } = readPaging(context.query, 1_000);
        const { rows, count } = await reachedBy(id, what, { search, limit, offset }, db);
        return limit === undefined
          ? rows
          : { count, ...neighbors(context, limit, offset, count), results: rows };
      },
    });
  }

  // Users check their own grants. Administrators check users of their organization.
  const checkGrant = async (context: Context) => {
    const { query, actor } = context;
    const userId = query.get('user_id') || actor.userId;
    const assetId = query.get('asset_id') ?? '';
    const systemUserId = query.get('system_user_id') ?? '';
    if (![userId, assetId, systemUserId].every((id) => isUuid(id))) return undefined;
    if (userId !== actor.userId) {
      if ((actor.permissions & Permission.ADMIN) === 0) return undefined;
      await engineOf(engines, user).reader.retrieve(userId, context);
    }
    return grants.check(userId, assetId, systemUserId);
  };
  route(app, {
    method: 'GET',
    url: `${RULES}user/validate/`,
    access: Permission.USE,
    summary:
      'Check if a user may perform an action on an asset with a system user, and by which permissions.',
    query: CHECK_QUERY,
    answer: samples({ msg: true, rules: [exampleId('asset_permission')] }),
    async handler(context) {
      const account = await checkGrant(context);
      const action = context.query.get('action_name') || 'connect';
      const granted = account?.actions.includes(action) ?? false;
      if (!granted) context.reply.code(403).header('x-error-code', 'permission_denied');
      return granted ? { msg: true, rules: account?.rules } : { msg: false };
    },
  });
  // Existing clients call this route after changes. It is a no-op: grants are never stale.
  route(app, {
    method: 'GET',
    url: `${RULES}cache/refresh/`,
    access: Permission.ADMIN,
    area: 'permissions',
    summary: 'Does nothing (kept for existing clients): grants are always current.',
    answer: samples({ msg: true }),
    handler: () => ({ msg: true }),
  });
  route(app, {
    method: 'GET',
    url: `${RULES}user/actions/`,
    access: Permission.USE,
    summary: 'The actions that a user may perform on an asset with a system user.',
    query: CHECK_QUERY,
    answer: samples<{ actions: readonly string[] | null }>(
      { actions: ['connect'] },
      { actions: null },
    ),
    handler: async (context) => ({ actions: (await checkGrant(context))?.actions ?? null }),
  });
}
