import { user } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { settings } from '../settings/index.ts';
import { createProvider } from './provider.ts';
import { createSamlPages } from './routes.ts';
import { samlRule } from './setting-rule.ts';
import { mountSamlTest } from './test-routes.ts';

/** Sign-in through a SAML 2.0 identity provider. */
export const saml = defineModule({
  name: 'saml',
  tables: ['provider_key'],
  create({ core: { db, vault, config }, use, engine }) {
    const { providerServices, addSignOutPage } = use(identity);
    const inForce = use(settings);
    const pages = createSamlPages(
      providerServices(() => engine(user).writer),
      createProvider(inForce),
    );
    inForce.addRule('saml', samlRule);
    addSignOutPage(pages.signOutPage);
    return {
      service: {},
      routes({ http }) {
        mountSamlTest(http, { db, vault, publicUrl: config.publicUrl });
        pages.mount(http);
      },
    };
  },
});
