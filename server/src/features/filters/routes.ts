import {
  type CommandTrialResult,
  commandFilter,
  commandFilterRule,
  MAX_TRIED_COMMAND,
  Permission,
  systemUser,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { exampleId } from '../../http/openapi/examples.ts';
import { pageOf } from '../../http/page.ts';
import { parameter, readBody, route } from '../../http/route.ts';
import { pagedListOf, rowOf, samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Engines, engineOf } from '../../resources/engines.ts';
import { compileRule } from './rules/compile.ts';
import { decide, inOrder } from './rules/decide.ts';
import { ruleIdsOfAccount, rulesOfFilter } from './service.ts';

const COMMAND = {
  command: text({
    label: { en: 'Command', zh: '命令' },
    max: MAX_TRIED_COMMAND,
    keepsBlanks: true,
    example: 'rm -rf /srv/data',
  }),
};

const MATCHED_RULE = {
  id: exampleId('rule'),
  type: 'command' as const,
  content: 'rm',
  priority: 50,
  action: 0,
  found: 'rm',
};
const TRIAL = samples<CommandTrialResult>(
  { is_allowed: false, rule: MATCHED_RULE },
  { is_allowed: true, rule: null },
);

/** Routes to test a command against a filter, and to list the rules of a system user. */
export function mountFilterRoutes(
  app: FastifyInstance,
  { db, engines }: { readonly db: Db; readonly engines: Engines },
): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/assets/cmd-filters/:id/try/',
    access: Permission.ADMIN,
    area: 'rules',
    reads: true,
    summary:
      'The rule of the filter that matches a command. Runs no command; the filter may be inactive, and conditions count as fulfilled.',
    body: COMMAND,
    answer: TRIAL,
    async handler(context): Promise<CommandTrialResult> {
      const { id } = await engineOf(engines, commandFilter).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      const { command } = readBody(context, COMMAND);
      const {
        isAllowed,
        rule,
        match: found = '',
      } = decide(inOrder((await rulesOfFilter(String(id), db)).map(compileRule)), command);
      if (!rule) return { is_allowed: isAllowed, rule: null };
      const { id: ruleId, type, content, priority, action } = rule;
      return {
        is_allowed: isAllowed,
        rule: { id: ruleId, type, content, priority, action, found },
      };
    },
  });

  route(app, {
    method: 'GET',
    url: '/api/v1/assets/system-users/:id/cmd-filter-rules/',
    access: Permission.ADMIN,
    area: 'rules',
    reads: true,
    summary: 'The rules of all command filters of a system user, in the order of their evaluation.',
    answer: pagedListOf(rowOf(commandFilterRule)),
    async handler(context) {
      const { id } = await engineOf(engines, systemUser).reader.retrieve(
        parameter(context, 'id'),
        context,
      );
      const ids = await ruleIdsOfAccount(String(id), db);
      const rows = await engineOf(engines, commandFilterRule).reader.rows(ids, context);
      return pageOf(
        context,
        rows.toSorted((one, other) => ids.indexOf(String(one.id)) - ids.indexOf(String(other.id))),
      );
    },
  });
}
