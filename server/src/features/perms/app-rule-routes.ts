import {
  type Fields,
  fieldNamed,
  isUuid,
  Permission,
  type Resource,
  remoteAppPermission,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { neighbors } from '../../http/page.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { namesOf } from '../../http/wire-shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { readPaging } from '../../resources/read/page.ts';
import { hasAppRule, namedByAppRule } from './app-store.ts';
import { DATABASE_APPS, type GrantKind, REMOTE_APPS } from './grants/kind.ts';
import { searchText } from './store.ts';

interface RuleRouteOptions {
  readonly db: Db;
  readonly engines: Engines;
}

/**
 * Mounts the users and applications of application permissions, and the routes that add users and
 * remote apps to a permission or remove them.
 */
export function mountAppRules(app: FastifyInstance, options: RuleRouteOptions): void {
  mountNamedByRules(app, options, [REMOTE_APPS, DATABASE_APPS]);
  mountLinks(app, options, remoteAppPermission, 'users');
  mountLinks(app, options, remoteAppPermission, 'remote_apps');
}

/** Mounts the users and applications that permissions of some kinds name. */
export function mountNamedByRules(
  app: FastifyInstance,
  { db }: RuleRouteOptions,
  kinds: readonly GrantKind[],
): void {
  for (const kind of kinds) {
    const path = `${kind.target.replace('_', '-')}s`;
    const rules = `/api/v1/perms/${kind.rule.replaceAll('_', '-')}s/`;
    for (const [what, segment, summary, answer] of [
      [
        'users',
        'users',
        'Everybody a rule names, directly or through groups.',
        namesOf('user', 'user', 'Li Wei(li.wei)'),
      ],
      [
        'apps',
        path,
        'Every application that a rule names.',
        namesOf(kind.target.replace('_', ''), kind.target, 'shop'),
      ],
    ] as const) {
      route(app, {
        method: 'GET',
        url: `${rules}:id/${segment}/all/`,
        access: Permission.ADMIN,
        area: 'permissions',
        summary,
        answer,
        async handler(context) {
          const id = parameter(context, 'id');
          if (!isUuid(id) || !(await hasAppRule(kind, id, context.actor.organization.id, db)))
            throw notFound();
          const { limit, offset } = readPaging(context.query, 1_000);
          const { rows, count } = await namedByAppRule(
            { kind, id },
            what,
            { search: searchText(context.query), limit, offset },
            db,
          );
          return limit === undefined
            ? rows
            : { count, ...neighbors(context, limit, offset, count), results: rows };
        },
      });
    }
  }
}

/** Mounts `{rule}/{field}/add/`, with hyphens, and `/remove/`. Both are idempotent. */
function mountLinks(
  app: FastifyInstance,
  { engines }: RuleRouteOptions,
  resource: Resource,
  field: string,
): void {
  const declared = fieldNamed(resource, field);
  const body: Fields = { [field]: { ...declared, required: true } };
  const title = declared.label.en.toLowerCase();
  const sample = samples({
    id: exampleId(resource.name),
    [field]: [exampleId(field.replace(/s$/, ''))],
  });

  for (const action of ['add', 'remove'] as const) {
    const url = `/api/v1/${resource.path}/:id/${field.replaceAll('_', '-')}/${action}/`;
    route(app, {
      method: 'GET',
      url,
      access: Permission.ADMIN,
      area: 'permissions',
      summary: `The ${title} of a rule.`,
      answer: sample,
      async handler(context) {
        const row = await engineOf(engines, resource).reader.retrieve(
          parameter(context, 'id'),
          context,
        );
        return { id: row.id, [field]: row[field] };
      },
    });
    const change = async (context: Context) => {
      const ids = readBody(context, body)[field] as readonly string[];
      const engine = engineOf(engines, resource);
      const row = await engine.reader.retrieve(parameter(context, 'id'), context);
      const before = row[field] as readonly string[];
      const after =
        action === 'add'
          ? [...new Set([...before, ...ids])]
          : before.filter((id) => !ids.includes(id));
      await engine.writer.change(String(row.id), { [field]: after }, context);
      return { msg: 'ok' };
    };
    for (const method of ['PUT', 'PATCH'] as const)
      route(app, {
        method,
        url,
        access: Permission.ADMIN,
        area: 'permissions',
        summary: `${action === 'add' ? 'Add' : 'Remove'} ${title} ${action === 'add' ? 'to' : 'from'} a rule.`,
        body,
        answer: samples({ msg: 'ok' }),
        handler: change,
      });
  }
}
