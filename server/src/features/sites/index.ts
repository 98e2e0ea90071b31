import { defineModule } from '../../module.ts';
import { connections } from '../connections/index.ts';
import { identity } from '../identity/index.ts';
import { mountSites } from './routes.ts';
import { holdersOf, keepTunnels, siteOfKey } from './store.ts';

/** Sites: gateways that connect to this bastion, each with its key. */
export const sites = defineModule({
  name: 'sites',
  tables: ['site_identity', 'site_tunnel'],
  create({ core: { db, config }, use }) {
    use(connections).sites.set(() => ({
      find: (id, key) => siteOfKey(id, key, db),
      holdersOf: (siteId) => holdersOf(siteId, db),
      keep: (holder, tunnels) => keepTunnels(holder, tunnels, db),
    }));
    return {
      service: {},
      routes({ http, engines, services: { audit } }) {
        mountSites(http, {
          db,
          engines,
          audit,
          limit: use(identity).limit,
          publicUrl: config.publicUrl,
          listener: use(connections).sshListener.call,
        });
      },
    };
  },
});
