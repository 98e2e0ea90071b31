import { many, Permission, type PermissionSummary } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../http/openapi/examples.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Engines } from '../../resources/engines.ts';
import { type NamedIds, summaryOf } from './summary-store.ts';

const ids = (to: string, en: string, zh: string) =>
  many({ label: { en, zh }, to, required: false });

const NAMED = {
  users: ids('user', 'Users', '用户'),
  user_groups: ids('user_group', 'User groups', '用户组'),
  assets: ids('asset', 'Assets', '资产'),
  nodes: ids('node', 'Nodes', '节点'),
  system_users: ids('system_user', 'System users', '系统用户'),
};

const NONE = { count: 0, names: [] };
const ANSWER = samples<PermissionSummary>({
  users: { count: 1, names: ['Li Wei'] },
  user_groups: NONE,
  assets: NONE,
  nodes: { count: 1, names: ['Production'] },
  system_users: { count: 1, names: ['ops'] },
  people: 1,
  reached: 37,
  unoffered: [{ protocol: 'vnc', accounts: { count: 1, names: ['ops'] } }],
});

/** Mounts the preview of an unsaved permission. */
export function mountPermissionSummary(
  app: FastifyInstance,
  { db, engines }: { readonly db: Db; readonly engines: Engines },
): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/perms/permission-summary/',
    access: Permission.ADMIN,
    area: 'permissions',
    reads: true,
    summary: 'Preview the users and targets of a permission with these objects.',
    bodyShape: samples<Partial<NamedIds>>({
      users: [exampleId('user')],
      system_users: [exampleId('system_user')],
    }),
    answer: ANSWER,
    async handler(context): Promise<PermissionSummary> {
      const {
        users = [],
        user_groups = [],
        assets = [],
        nodes = [],
        system_users = [],
      } = readBody(context, NAMED);
      return summaryOf(
        { users, user_groups, assets, nodes, system_users },
        { engines, caller: context, db },
      );
    },
  });
}
