import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { tickets } from '../tickets/index.ts';
import { mountChangeControl } from './routes.ts';

export { forgetSets, waitingSets } from './store.ts';

/** Changes that a second administrator decides before they apply. */
export const changeControl = defineModule({
  name: 'change-control',
  tables: ['change_control', 'change_set'],
  create({ core: { db }, use }) {
    return {
      service: {},
      routes: ({ http, engines, services: { audit } }) =>
        mountChangeControl(http, {
          db,
          engines,
          audit,
          tellUsers: use(tickets).tellUsers,
          actor: use(identity).current.actor,
        }),
    };
  },
});
