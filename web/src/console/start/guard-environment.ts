import type { Profile, PublicSettings } from '@sallyport/contract';
import { ApiError, api } from '../../kit/api.ts';
import { BASE_PATH } from '../../kit/base-path.ts';
import {
  COOKIES,
  readCookie,
  rememberedOrganization,
  rememberOrganization,
} from '../../kit/cookies.ts';
import { t } from '../../kit/i18n/index.ts';
import { setDocumentTitle, showBrand } from '../../kit/page/brand.ts';
import { queryClient } from '../../kit/page/start-app.tsx';
import { prefetchPreferences } from '../base/preferences.ts';
import { rememberedRole, rememberRole } from '../base/role.ts';
import type { Screen } from '../base/screen.ts';
import { PARTS, SCREENS } from '../screens/index.ts';
import type { GuardEnvironment } from './guard.ts';

export function browserEnvironment(): GuardEnvironment {
  return {
    screens: SCREENS,
    parts: PARTS,
    path: location.pathname.slice(BASE_PATH.length) || '/',
    setTitle: (screen: Screen | undefined) => setDocumentTitle(screen && t(screen.title)),
    hasCsrfCookie: () => readCookie(COOKIES.csrf) !== undefined,
    loadProfile: () => {
      prefetchPreferences(queryClient);
      return api.get<Profile>('users/profile/', { quiet: true });
    },
    rememberedOrganization,
    rememberOrganization,
    rememberedRole,
    rememberRole,
    loadPublicSettings: async () => {
      const { data } = await api.get<{ data: PublicSettings }>('settings/public/', { quiet: true });
      showBrand(data);
      return data;
    },
    // Few accounts have a duty, so the rules load on demand.
    limitToDuty: async (...of) => (await import('./duty-session.ts')).sessionOfDuty(...of),
    isRefusal: (error) => error instanceof ApiError && error.status >= 400 && error.status < 500,
  };
}
