import { defineModule } from '../../module.ts';
import { ruleHooks } from './hooks.ts';
import { mountFilterRoutes } from './routes.ts';
import { createCommandRules } from './service.ts';

export type { Decision } from './rules/decide.ts';
export type { CommandRules } from './service.ts';

/** Rules for the commands that users may run. */
export const filters = defineModule({
  name: 'filters',
  tables: ['command_filter', 'command_filter_rule', 'command_filter_system_users'],
  create({ core: { db, bus } }) {
    return {
      service: { rules: createCommandRules(db, bus) },
      hooks: { command_filter_rule: ruleHooks },
      routes: ({ http, engines }) => mountFilterRoutes(http, { db, engines }),
    };
  },
});
