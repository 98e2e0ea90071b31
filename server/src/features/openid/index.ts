import { user } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { settings } from '../settings/index.ts';
import { createOpenidPages } from './routes.ts';
import { openidRule } from './setting-rule.ts';
import { mountOpenidTest } from './test-routes.ts';

/** Sign-in through an OpenID Connect provider. */
export const openid = defineModule({
  name: 'openid',
  tables: [],
  create({ core: { config }, use, engine }) {
    const { providerServices, addSignOutPage } = use(identity);
    const pages = createOpenidPages(providerServices(() => engine(user).writer));
    use(settings).addRule('openid', openidRule);
    addSignOutPage(pages.signOutPage);
    return {
      service: {},
      routes({ http }) {
        mountOpenidTest(http, { settings: use(settings), publicUrl: config.publicUrl });
        pages.mount(http);
      },
    };
  },
});
