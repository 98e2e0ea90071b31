import { user } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { settings } from '../settings/index.ts';
import type { IdentityProvider } from './metadata.ts';
import { createSamlPages } from './routes.ts';
import { mountSamlTest } from './test-routes.ts';

/** Sign-in through a SAML 2.0 identity provider. */
export const saml = defineModule({
  name: 'saml',
  tables: ['provider_key'],
  create({ core: { db, vault, config }, use, engine }) {
    const { providerServices, addSignOutPage } = use(identity);
    const inForce = use(settings);
    let provider: (() => Promise<IdentityProvider>) | undefined;
    const find = async () => {
      provider ??= (await import('./provider.ts')).createProvider(inForce);
      return provider();
    };
    const pages = createSamlPages(
      providerServices(() => engine(user).writer),
      find,
    );
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
