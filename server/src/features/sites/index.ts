import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { mountSites, type SiteListener } from './routes.ts';
import { holdersOf, keepTunnels, type SiteTunnelRow, siteOfKey } from './store.ts';

export type { SiteTunnelRow } from './store.ts';

/** Sites: gateways that connect to this bastion, each with its key. */
export const sites = defineModule({
  name: 'sites',
  tables: ['site_identity', 'site_tunnel'],
  create({ core: { db, config }, use }) {
    let listener: SiteListener | undefined;
    return {
      service: {
        /** Sets the SSH listener, to which sites connect. */
        setListener(provided: SiteListener) {
          listener = provided;
        },
        find: (id: string, key: Buffer) => siteOfKey(id, key, db),
        holdersOf: (siteId: string) => holdersOf(siteId, db),
        /** Stores the tunnels of a process. Returns those that must end. */
        keep: (holder: string, tunnels: readonly SiteTunnelRow[]) =>
          keepTunnels(holder, tunnels, db),
      },
      routes({ http, engines, services: { audit } }) {
        mountSites(http, {
          db,
          engines,
          audit,
          limit: use(identity).limit,
          publicUrl: config.publicUrl,
          listener() {
            if (!listener) throw new Error('no listener of sites is set');
            return listener;
          },
        });
      },
    };
  },
});
