import { commandFilter, commandFilterRule } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { Invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { mountFilterRoutes } from './routes.ts';
import { contentProblem } from './rules/compile.ts';
import { createCommandRules } from './service.ts';

export type { Decision } from './rules/decide.ts';
export type { CommandCircumstances, CommandRules } from './service.ts';

/** The hooks of rules. Rejects invalid patterns, and patterns without a time bound. */
export const ruleHooks = hooksFor(commandFilterRule, {
  beforeSave(values, previous) {
    if (values.content === undefined && values.type === undefined) return;
    const problem = contentProblem(
      String(values.type ?? previous?.type ?? 'command'),
      String(values.content ?? previous?.content ?? ''),
    );
    if (problem) throw new Invalid({ content: [problem] });
  },
});

/** A filter without one of its rules would let commands pass. */
const filterHooks = hooksFor(commandFilter, {
  following: [
    {
      table: 'command_filter_rule',
      column: 'filter_id',
      title: commandFilterRule.title,
      isRequired: true,
    },
  ],
});

/** Rules for the commands that users may run. */
export const filters = defineModule({
  name: 'filters',
  tables: ['command_filter', 'command_filter_rule', 'command_filter_system_users'],
  create({ core: { db, bus } }) {
    return {
      service: { rules: createCommandRules(db, bus) },
      hooks: { command_filter: filterHooks, command_filter_rule: ruleHooks },
      routes: ({ http, engines }) => mountFilterRoutes(http, { db, engines }),
    };
  },
});
