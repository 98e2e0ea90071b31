import { user } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { mapProblems } from '../../platform/directory/connection.ts';
import { readAuthorities } from '../../platform/directory/saved-config.ts';
import { identity } from '../identity/index.ts';
import { settings } from '../settings/index.ts';
import { createReadingAttention } from './attention.ts';
import { createDirectory } from './service.ts';

/** Users whose accounts are maintained in an LDAP directory. */
export const directory = defineModule({
  name: 'directory',
  tables: ['ldap_person', 'directory_reading'],
  create({ core: { db, jobs, config, log }, use, engine }) {
    const inForce = use(settings);
    inForce.addRule('ldap', ({ AUTH_LDAP_USER_ATTR_MAP: map }) =>
      mapProblems('AUTH_LDAP_USER_ATTR_MAP', map),
    );
    const service = createDirectory({
      db,
      jobs,
      settings: inForce,
      authorities: readAuthorities(config.ldapCaFile),
      accounts: () => engine(user).writer,
      log,
    });
    use(identity).addChecker(service.checker);
    return {
      service,
      attention: createReadingAttention(inForce),
      routes: ({ http, services }) => service.mount(http, services.audit),
      jobs: service.jobs,
    };
  },
});
