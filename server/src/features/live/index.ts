import { LIVE_SOCKET_PATH, Permission } from '@sallyport/contract';
import { socketRoute } from '../../http/socket.ts';
import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { createLiveSockets } from './socket.ts';

/** Notifies consoles of changes by other users, so that they reload the data on screen. */
export const live = defineModule({
  name: 'live',
  tables: [],
  create({ core: { db, bus, log }, use }) {
    const { current } = use(identity);
    return {
      service: {},
      routes({ http, engines }) {
        const openSocket = createLiveSockets({ db, engines, current, bus, log });
        socketRoute(http, {
          url: LIVE_SOCKET_PATH,
          access: Permission.USE,
          area: 'own',
          isReopened: true,
          summary:
            'Changes of resources that the caller may read, in the organization of the request.',
          handler: openSocket,
        });
      },
    };
  },
});
