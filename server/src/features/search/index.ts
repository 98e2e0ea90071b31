import { defineModule } from '../../module.ts';
import { createGate } from '../../platform/gate.ts';
import { grantedApps, perms } from '../perms/index.ts';
import { mountSearch } from './routes.ts';
import { ObjectSearcher } from './search.ts';

/** One search over all kinds of objects. */
export const search = defineModule({
  name: 'search',
  tables: ['search_use', 'pinyin_reading'],
  create({ core: { db, pool }, use }) {
    const grants = use(perms);
    return {
      service: {},
      routes({ http, engines, services }) {
        // A search queries every kind at once. Half of the connections stay free for other
        // requests.
        const places = createGate((pool.options.max ?? 10) / 2);
        mountSearch(http, {
          db,
          grants,
          searcher: new ObjectSearcher({
            db,
            engines,
            grants,
            apps: grantedApps(engines, services),
            places,
          }),
        });
      },
    };
  },
});
