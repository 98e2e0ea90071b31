import { LIVE_SOCKET_PATH, Permission } from '@sallyport/contract';
import { socketRoute } from '../../http/socket.ts';
import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { createLiveSockets } from './socket.ts';

/** Tells consoles what others change, so that what is on screen is read again. */
export const live = defineModule({
  name: 'live',
  tables: [],
  create({ core: { db, bus, log }, use }) {
    const { current } = use(identity);
    return {
      service: {},
      routes({ http, engines }) {
        const tell = createLiveSockets({ db, engines, current, bus, log });
        socketRoute(http, {
          url: LIVE_SOCKET_PATH,
          access: Permission.USE,
          summary:
            'What changes of the resources that the caller may read, in the organization that the request names.',
          handler: tell,
        });
      },
    };
  },
});
