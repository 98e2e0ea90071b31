import { assetUser, choice, type Fields, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../../http/context.ts';
import { exampleId } from '../../http/openapi/examples.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { AccountTest } from './job.ts';
import type { AssetUserList } from './list.ts';

const BODY: Fields = {
  action: choice({
    label: { en: 'Action', zh: '操作' },
    choices: [{ value: 'test', label: { en: 'Test the account', zh: '测试账号' } }],
  }),
};

/** Mounts the route that starts account tests. */
export function mountAccountTasks(
  app: FastifyInstance,
  {
    list,
    jobs,
    test,
  }: {
    readonly list: AssetUserList;
    readonly jobs: Jobs;
    readonly test: JobDefinition<AccountTest>;
  },
): void {
  route(app, {
    method: 'POST',
    url: `/api/v1/${assetUser.path}/tasks/`,
    access: Permission.ADMIN,
    area: 'secrets',
    summary:
      'Start a job that signs in with every account that the query of the list finds. Its log says which were accepted.',
    body: BODY,
    answer: samples({ task: exampleId('job') }),
    status: 201,
    async handler(context) {
      readBody(context, BODY);
      // Rejects an invalid query here instead of in the job.
      const page = await list.list(
        new URLSearchParams([...context.query, ['limit', '2']]),
        context,
      );
      const [one, another] = page?.results ?? [];
      const subject = one && !another ? `${one.username}@${one.hostname}` : '';
      const task =
        (await jobs.enqueue(
          test,
          { query: context.query.toString() },
          { caller: callerOf(context), subject },
        )) ?? '';
      context.reply.code(201);
      return { task };
    },
  });
}
