import { defineModule } from '../../module.ts';
import { audits } from '../audits/index.ts';
import { identity } from '../identity/index.ts';
import { settings } from '../settings/index.ts';
import { mountScim } from './routes.ts';
import type { Scim } from './service.ts';
import { mountScimTest } from './test-routes.ts';
import { mountScimTokens } from './token-routes.ts';

/** Identity providers maintain accounts and groups by SCIM 2.0. */
export const scim = defineModule({
  name: 'scim',
  tables: ['scim_token', 'scim_user', 'scim_group'],
  create({ core: { db, config, log }, use }) {
    const inForce = use(settings);
    return {
      service: {},
      routes({ http, engines }) {
        let service: Scim | undefined;
        mountScimTokens(http, { db, audit: use(audits).write, settings: inForce });
        mountScimTest(http, { db, settings: inForce, publicUrl: config.publicUrl });
        mountScim(http, {
          db,
          log,
          limit: use(identity).limit,
          publicUrl: config.publicUrl,
          isOn: () => inForce.get('AUTH_SCIM'),
          async scim() {
            service ??= (await import('./service.ts')).createScim({
              db,
              engines,
              deletes: () => inForce.get('AUTH_SCIM_DELETE_USERS'),
            });
            return service;
          },
        });
      },
    };
  },
});
