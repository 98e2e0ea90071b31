import {
  assetPermission,
  type BodyOf,
  CONSEQUENCE_RESOURCES,
  type Consequences,
  type ConsequencesQuestion,
  choice,
  databaseAppPermission,
  type Field,
  many,
  Permission,
  PLANNED_ACTIONS,
  reference,
  remoteAppPermission,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../../http/openapi/examples.ts';
import { readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { databaseClock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { Engines } from '../../../resources/engines.ts';
import { withoutEnd } from '../../../resources/write/plan.ts';
import type { PlannedTerms } from '../what-if/plan.ts';
import { createConsequences } from './service.ts';

const { fields: permission } = assetPermission;
const optional = <F extends Field>(
  field: F,
): Omit<F, 'required'> & { readonly required: false } => ({ ...field, required: false });

const BODY = {
  action: choice({
    label: { en: 'Action', zh: '操作' },
    choices: PLANNED_ACTIONS.map((value) => ({ value, label: { en: value, zh: value } })),
  }),
  resource: choice({
    label: { en: 'Resource', zh: '资源' },
    choices: CONSEQUENCE_RESOURCES.map((value) => ({ value, label: { en: value, zh: value } })),
  }),
  ids: many({ label: { en: 'IDs', zh: '对象 ID' }, to: 'asset', required: false }),
  spm: text({
    label: { en: 'Named set of IDs', zh: '选择集' },
    max: 36,
    required: false,
    defaultValue: '',
  }),
  target: reference({ label: { en: 'Target node', zh: '目标节点' }, to: 'node', required: false }),
  users: many({ label: { en: 'Users', zh: '用户' }, to: 'user', required: false }),
  user_groups: optional(permission.user_groups),
  assets: { ...optional(permission.assets), minItems: 0 },
  nodes: { ...optional(permission.nodes), minItems: 0 },
  system_users: { ...optional(permission.system_users), minItems: 0 },
  actions: optional(permission.actions),
  is_active: optional(permission.is_active),
  date_start: optional(permission.date_start),
  date_expired: optional(permission.date_expired),
  is_read_only: optional(databaseAppPermission.fields.is_read_only),
  remote_apps: remoteAppPermission.fields.remote_apps,
  database_apps: databaseAppPermission.fields.database_apps,
};

/** Field with the targets of a permission; `assets` unless listed here. */
const TARGETS: Readonly<Record<string, 'remote_apps' | 'database_apps'>> = {
  remote_app_permission: 'remote_apps',
  database_app_permission: 'database_apps',
};

/**
 * Reads the form of a permission from a body. Missing fields get the values of a new permission.
 */
function termsIn(body: BodyOf<typeof BODY>): PlannedTerms {
  return {
    user_groups: body.user_groups ?? [],
    assets: body[TARGETS[body.resource] ?? 'assets'] ?? [],
    nodes: body.nodes ?? [],
    system_users: body.system_users ?? [],
    actions: body.actions ?? ['all'],
    is_read_only: body.is_read_only ?? false,
    is_active: body.is_active ?? true,
    date_start: body.date_start ?? databaseClock.date(),
    date_expired: body.date_expired ?? withoutEnd(),
  };
}

const question: ConsequencesQuestion = {
  action: 'disable',
  resource: 'asset',
  ids: [exampleId('asset')],
};
const ANSWER = samples<Consequences>(
  {
    objects: { count: 1, names: ['web-prod-01'] },
    consequences: [
      { kind: 'sessions_cut', count: 1, names: ['Li Wei(li.wei) → web-prod-01'], blocks: false },
    ],
    access: [
      {
        kind: 'lost',
        target: 'asset',
        people: { count: 1, names: ['Li Wei(li.wei)'] },
        assets: { count: 1, names: ['web-prod-01'] },
        accounts: { count: 1, names: ['deploy on web servers'] },
        accesses: 1,
        actions: [],
      },
    ],
    access_from: null,
    type_to_confirm: null,
  },
  {
    objects: { count: 2_490, names: [] },
    consequences: [{ kind: 'people_losing', count: 1, names: ['Li Wei(li.wei)'], blocks: false }],
    access: [],
    access_from: '2026-12-31 18:00:00 +0800',
    type_to_confirm: '2490',
  },
);

/** Mounts the preview of an action's consequences. */
export function mountConsequences(app: FastifyInstance, db: Db, engines: Engines): void {
  const consequencesOf = createConsequences(db, engines);
  route(app, {
    method: 'POST',
    url: '/api/v1/perms/consequences/',
    access: Permission.ADMIN,
    area: 'permissions',
    reads: true,
    summary:
      'Preview the consequences of a deletion, a disabling, an end, a move, a change of members, or a saved permission.',
    bodyShape: samples<ConsequencesQuestion>(question, {
      action: 'delete',
      resource: 'asset',
      spm: exampleId('resource_set'),
    }),
    answer: ANSWER,
    async handler(context): Promise<Consequences> {
      const body = readBody(context, BODY);
      const { action, resource, ids = [], spm = '', target = '', users = [] } = body;
      return consequencesOf(
        {
          action,
          resource,
          selection: { ids, spm },
          target,
          users,
          ...(action === 'save' && { terms: termsIn(body) }),
        },
        context,
      );
    },
  });
}
