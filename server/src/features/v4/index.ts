import { defineModule } from '../../module.ts';
import { assetUsers } from '../asset-users/index.ts';
import { perms } from '../perms/index.ts';
import { settings } from '../settings/index.ts';
import { mountLaterReads } from './routes.ts';

/** The reads of versions 3 and 4 of the established API, for clients that are written for them. */
export const v4 = defineModule({
  name: 'v4',
  tables: [],
  create({ core: { db, config }, use }) {
    const [grants, inForce, { listOf }] = [use(perms), use(settings), use(assetUsers)];
    return {
      service: {},
      routes: ({ http, engines, services }) =>
        mountLaterReads(http, {
          db,
          engines,
          services,
          grants,
          settings: inForce,
          list: listOf(),
          publicUrl: config.publicUrl,
        }),
    };
  },
});
