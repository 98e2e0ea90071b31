import type { Profile, PublicSettings } from '@sallyport/contract';
import { ApiError, api } from '../../kit/api.ts';
import { productTitle, showBrand } from '../../kit/brand.ts';
import { COOKIES, readCookie } from '../../kit/cookies.ts';
import { t } from '../../kit/i18n/index.ts';
import { rememberedOrganization, rememberOrganization } from '../../kit/organization.ts';
import { SCREENS } from '../screens/index.ts';
import type { Screen } from '../screens/screen.ts';
import { BASE_PATH } from './addresses.ts';
import type { GuardDoors } from './guard.ts';
import { rememberedRole, rememberRole } from './role.ts';

/** Names the page in the browser's own tab. */
export function setDocumentTitle(title: string | undefined): void {
  document.title = title ? `${title} · ${productTitle()}` : productTitle();
}

/** The guard's view of this browser and its server. */
export function realDoors(): GuardDoors {
  return {
    screens: SCREENS,
    path: location.pathname.slice(BASE_PATH.length) || '/',
    setTitle: (screen: Screen | undefined) => setDocumentTitle(screen && t(screen.title)),
    hasCsrfCookie: () => readCookie(COOKIES.csrf) !== undefined,
    loadProfile: () => api.get<Profile>('users/profile/', { quiet: true }),
    rememberedOrganization,
    rememberOrganization,
    rememberedRole,
    rememberRole,
    loadPublicSettings: async () => {
      const { data } = await api.get<{ data: PublicSettings }>('settings/public/');
      showBrand(data);
      return data;
    },
    isRefusal: (error) => error instanceof ApiError && error.status >= 400 && error.status < 500,
  };
}
