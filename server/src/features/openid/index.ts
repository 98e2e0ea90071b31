import { user } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { engineOf } from '../../resources/engines.ts';
import { audits } from '../audits/index.ts';
import { identity } from '../identity/index.ts';
import { settings } from '../settings/index.ts';
import { mountOpenid, signOutPage } from './routes.ts';
import { mountOpenidTest } from './test-routes.ts';

/** Signing in through a provider of OpenID Connect. */
export const openid = defineModule({
  name: 'openid',
  tables: ['external_identity'],
  create({ core: { db, vault, config, log }, use }) {
    const { publicUrl } = config;
    const { signIns, limit, setSignOutPage } = use(identity);
    setSignOutPage(signOutPage);
    return {
      service: {},
      routes({ http, engines }) {
        mountOpenidTest(http, { settings: use(settings), publicUrl });
        mountOpenid(http, {
          db,
          audit: use(audits).write,
          accounts: engineOf(engines, user).writer,
          settings: use(settings),
          vault,
          signIns,
          limit,
          log,
          publicUrl,
        });
      },
    };
  },
});
