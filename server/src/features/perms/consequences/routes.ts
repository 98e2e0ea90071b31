import {
  assetPermission,
  CONSEQUENCE_RESOURCES,
  type Consequences,
  type ConsequencesQuestion,
  choice,
  databaseAppPermission,
  type Field,
  type Fields,
  many,
  Permission,
  PLANNED_ACTIONS,
  type PlannedAction,
  reference,
  remoteAppPermission,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../../http/openapi/examples.ts';
import { readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { Engines } from '../../../resources/engines.ts';
import { withoutEnd } from '../../../resources/plan.ts';
import type { PlannedTerms } from '../what-if/plan.ts';
import { createConsequences } from './service.ts';

const BODY: Fields = {
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
  ...Object.fromEntries(
    (
      [
        'user_groups',
        'assets',
        'nodes',
        'system_users',
        'actions',
        'is_active',
        'date_start',
        'date_expired',
      ] as const
    ).map((name) => {
      const field: Field = assetPermission.fields[name];
      return [name, { ...field, required: false, ...(field.kind === 'many' && { minItems: 0 }) }];
    }),
  ),
  is_read_only: { ...databaseAppPermission.fields.is_read_only, required: false },
  remote_apps: remoteAppPermission.fields.remote_apps,
  database_apps: databaseAppPermission.fields.database_apps,
};

const idsIn = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

/** Field with the targets of a permission; `assets` unless listed here. */
const TARGETS: Readonly<Record<string, string>> = {
  remote_app_permission: 'remote_apps',
  database_app_permission: 'database_apps',
};

/**
 * Reads the form of a permission from a body. Missing fields get the values of a new permission.
 */
function termsIn(body: Readonly<Record<string, unknown>>, resource: string): PlannedTerms {
  return {
    user_groups: idsIn(body.user_groups),
    assets: idsIn(body[TARGETS[resource] ?? 'assets']),
    nodes: idsIn(body.nodes),
    system_users: idsIn(body.system_users),
    actions: body.actions === undefined ? ['all'] : idsIn(body.actions),
    is_read_only: body.is_read_only === true,
    is_active: body.is_active !== false,
    date_start: body.date_start instanceof Date ? body.date_start : new Date(),
    date_expired: body.date_expired instanceof Date ? body.date_expired : withoutEnd(),
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
    summary:
      'What follows from deleting, disabling, ending, moving, changing members or saving a permission, without doing it.',
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
          action: action as PlannedAction,
          resource: String(resource),
          selection: { ids: ids as string[], spm: String(spm) },
          target: String(target ?? ''),
          users: users as string[],
          ...(action === 'save' && { terms: termsIn(body, String(resource)) }),
        },
        context,
      );
    },
  });
}
