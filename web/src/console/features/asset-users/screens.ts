import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const vault = () => import('./Vault.tsx');
const secrets = { group: 'secrets' } as const;

/** Accounts on all assets; requires a license. */
export const vaultScreens: readonly Screen[] = resourceScreens(
  'asset_user',
  {
    title: { zh: '密码匣子', en: 'Vault' },
    otherNames: [{ zh: '资产用户', en: 'Passwords' }],
    list: page(vault, 'VaultList'),
    form: page(vault, 'VaultForm'),
  },
  {
    licenseRequired: true,
    menu: secrets,
    titles: { create: { zh: '创建密码', en: 'Create secret' } },
  },
).filter(({ name }) => name !== 'AssetUserUpdate');
