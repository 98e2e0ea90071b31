import { defineModule } from '../../module.ts';
import { settings } from '../settings/index.ts';
import { createDeletedObjectHooks } from './hooks.ts';
import { mountDeletedObjects } from './routes.ts';
import { forgetDeleted, restoreDeleted } from './store.ts';

export { restoreDeleted };

/** Deleted objects until they are restored or their period ends. The engine keeps them. */
export const deletedObjects = defineModule({
  name: 'deleted-objects',
  tables: [],
  create({ core: { db }, use }) {
    const days = () => use(settings).get('DELETED_KEEP_DAYS');
    return {
      service: {},
      hooks: { deleted_object: createDeletedObjectHooks(days) },
      expiry: { rows: 'deleted objects', remove: () => forgetDeleted(days(), db) },
      routes: ({ http, engines }) => mountDeletedObjects(http, { db, engines }),
    };
  },
});
