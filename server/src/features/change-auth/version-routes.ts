import { assetUser, isUuid, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { parameter, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { Conflict, notFound, Rejected } from '../../platform/errors.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import { assertMaySeeSecrets } from '../asset-users/index.ts';
import { hasPassword, type VersionInput } from './version.ts';

interface RouteOptions {
  readonly db: Db;
  readonly engines: Engines;
  readonly jobs: Jobs;
  readonly setVersion: JobDefinition<VersionInput>;
  readonly settings: SettingsService;
  readonly audit: AuditWriter;
}

/** Mounts the rollback on the server: sets a stored version of a password there again. */
export function mountVersions(app: FastifyInstance, options: RouteOptions): void {
  const { db, engines, jobs, setVersion, audit } = options;
  route(app, {
    method: 'POST',
    url: `/api/v1/${assetUser.path}/:id/set-on-server/`,
    access: Permission.ADMIN,
    area: 'secrets',
    licensed: true,
    summary:
      'Set the password of a stored version on its server, and undo it as plans do if it fails. Requires a recent second factor if the settings say so. Written to the operate log. The answer names the job.',
    answer: samples({ task: exampleId('job') }),
    status: 201,
    async handler(context) {
      // Ids in the list are `{version}_{asset}`.
      const [id = ''] = parameter(context, 'id').split('_');
      if (!isUuid(id)) throw notFound();
      const row = await engineOf(engines, assetUser).reader.retrieve(id, context);
      if (!(await hasPassword(id, db))) throw new Rejected('version_without_password');
      await assertMaySeeSecrets(context, options);
      const resource = `${String(row.username)}@${String(row.hostname)}`;
      const task = await db.transaction(async (tx) => {
        await audit(tx, context, {
          action: 'update',
          resourceType: assetUser.name,
          resource,
          resourceId: id,
          changes: { on_server: [null, row.version] },
        });
        const started = await jobs.enqueue(
          setVersion,
          { version: id },
          { caller: callerOf(context), subject: resource, tx },
        );
        if (started === undefined) throw new Conflict('already_runs');
        return started;
      });
      context.reply.code(201);
      return { task };
    },
  });
}
