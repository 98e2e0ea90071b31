import { user } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { settings } from '../settings/index.ts';
import { createCasPages } from './routes.ts';
import { casRule } from './setting-rule.ts';
import { mountCasTest } from './test-routes.ts';

/** Sign-in through a CAS server. */
export const cas = defineModule({
  name: 'cas',
  tables: [],
  create({ core: { config }, use, engine }) {
    const { providerServices, addSignOutPage } = use(identity);
    const pages = createCasPages(providerServices(() => engine(user).writer));
    use(settings).addRule('cas', casRule);
    addSignOutPage(pages.signOutPage);
    return {
      service: {},
      routes({ http }) {
        mountCasTest(http, config.publicUrl);
        pages.mount(http);
      },
    };
  },
});
