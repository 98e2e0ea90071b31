import { defineModule } from '../../module.ts';
import { license } from '../license/index.ts';
import { createRemoteAppHooks, databaseAppHooks } from './hooks.ts';
import { mountApplications } from './routes.ts';

/** Remote apps and database apps, which users open instead of whole servers. */
export const applications = defineModule({
  name: 'applications',
  tables: ['remote_app', 'database_app'],
  create({ use }) {
    return {
      service: {},
      hooks: { remote_app: createRemoteAppHooks(use(license)), database_app: databaseAppHooks },
      routes: ({ http, engines }) => mountApplications(http, engines),
    };
  },
});
