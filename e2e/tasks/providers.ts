import { SETTING_CATEGORIES } from '@sallyport/contract';
import { startOpenidProvider } from '../../server/src/testing/services/openid-provider.ts';
import { PROVIDER_PRESETS } from '../../web/src/console/features/openid/provider-presets.ts';
import { words as openidWords } from '../../web/src/console/features/openid/words.ts';
import { words } from '../../web/src/console/features/settings/words.ts';
import { common } from '../../web/src/kit/i18n/common.ts';
import { words as identity } from '../../web/src/kit/identity/words.ts';
import { ConsolePage } from '../pages/console-page.ts';
import type { Task } from './task.ts';

const { openid } = SETTING_CATEGORIES;

/** Users of a Keycloak realm will sign in with its accounts. */
const openidProvider: Task = {
  name: 'A Keycloak realm is set up as OpenID provider, tested and turned on (from the settings)',
  target: 9,
  async prepare({ admin, server, administrator, atEnd }) {
    const provider = await startOpenidProvider(server.url);
    atEnd(async () => {
      await admin.patch('settings/setting/', { AUTH_OPENID: false });
      await provider.stop();
    });
    const keycloak = PROVIDER_PRESETS.find(({ key }) => key === 'keycloak');
    if (!keycloak?.ask) throw new Error('no preset asks for the address of a realm');
    const { name, ask } = keycloak;
    const visitor = await administrator('/ui/settings');
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = visitor;
    const view = new ConsolePage(visitor);
    const callback = `${server.url.replace(/\/$/, '')}/core/auth/openid/callback/`;
    return async (hand) => {
      await hand.click(page.getByRole('tab', { name: view.say(openid.title), exact: true }));
      const address = `${view.say(identity.copy)}: ${view.say(openidWords.redirectAddress)}`;
      await hand.click(view.button(address));
      await view.button(address).getByText(view.say(identity.copied)).waitFor();
      await hand.click(view.main.getByText(view.say(name), { exact: true }));
      await hand.paste(view.field(ask.label), provider.issuer);
      await hand.press(page, 'Enter');
      await view.notified(openidWords.presetFilled);
      await hand.paste(view.field(openid.fields.AUTH_OPENID_CLIENT_ID.label), provider.clientId);
      await hand.paste(
        view.main.getByRole('textbox', {
          name: view.say(openid.fields.AUTH_OPENID_CLIENT_SECRET.label),
          exact: true,
        }),
        provider.secret,
      );
      await hand.click(view.button(words.testConnection));
      await view.main.getByRole('status').getByText(callback).waitFor();
      await hand.click(view.field(openid.fields.AUTH_OPENID.label));
      await hand.click(view.button(common.submit));
      await view.notified(common.updateSuccess);
    };
  },
};

/** Tasks of administrators with identity providers. */
export const PROVIDER_TASKS: readonly Task[] = [openidProvider];
