import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { allows, Permission, say } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { IconBuilding, IconLogout, IconMoon, IconPlus, IconSun } from '../../../kit/icons.ts';
import type { PaletteOption } from '../../../kit/palette/option.ts';
import { signOutAddress } from '../../base/addresses.ts';
import { useGoAddress } from '../../base/navigation.tsx';
import { changeOrganization } from '../../base/organizations.ts';
import { usePreferences } from '../../base/preferences.ts';
import { pagesOf } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { useOrganizations } from '../../start/useOrganizations.ts';
import { type Fit, fitOf } from './fits.ts';
import { words } from './words.ts';

export interface FittingOption {
  readonly fit: Fit;
  readonly option: PaletteOption;
}

/** Actions available on every page that match the query. */
export function useCommands(query: string): readonly FittingOption[] {
  const { role, organization } = useSession();
  const organizations = useOrganizations();
  const { save } = usePreferences();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const goAddress = useGoAddress();
  const other = scheme === 'dark' ? 'light' : 'dark';

  const commands = [
    ...(allows(role.current, Permission.ADMIN)
      ? [
          {
            key: 'create-asset',
            text: words.createAsset,
            params: {},
            icon: <IconPlus size={16} />,
            run: () => void goAddress(pagesOf('asset').create),
          },
        ]
      : []),
    {
      key: 'theme',
      text: words[other],
      params: {},
      icon: other === 'dark' ? <IconMoon size={16} /> : <IconSun size={16} />,
      run: () => {
        setColorScheme(other);
        save({ theme: other });
      },
    },
    ...organizations
      .filter(({ id }) => id !== organization?.id)
      .map((one) => ({
        key: `organization-${one.id}`,
        text: words.organization,
        params: { name: one.name },
        icon: <IconBuilding size={16} />,
        run: () => changeOrganization(one),
      })),
    {
      key: 'sign-out',
      text: words.signOut,
      params: {},
      icon: <IconLogout size={16} />,
      run: () => location.assign(signOutAddress(location.pathname + location.search)),
    },
  ];
  return commands.flatMap(({ key, text, params, icon, run }) => {
    const fit = fitOf({ en: say(text, 'en', params), zh: say(text, 'zh', params) }, query);
    return fit === undefined
      ? []
      : [{ fit, option: { key, group: t(words.commands), label: t(text, params), icon, run } }];
  });
}
