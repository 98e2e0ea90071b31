import { defineModule } from '../../module.ts';
import { mountAttention } from './routes.ts';

/** Items that need attention, at the top of the start page. The features add them. */
export const attention = defineModule({
  name: 'attention',
  tables: [],
  create({ core: { db, attention: sources } }) {
    return {
      service: {},
      routes: ({ http, engines }) => mountAttention(http, { db, engines, sources }),
    };
  },
});
