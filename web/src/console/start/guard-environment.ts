import type { ConsoleStart, Profile } from '@sallyport/contract';
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
import { setPreferences } from '../base/preferences.ts';
import { rememberedRole, rememberRole } from '../base/role.ts';
import { isAllowed, type Screen, screenOf } from '../base/screen.ts';
import { PROFILE_URL } from '../base/session.tsx';
import { PARTS, SCREENS } from '../screens/index.ts';
import type { GuardEnvironment } from './guard.ts';

/** All screens of the remembered role; the guard decides later. */
const ALL = { SECURITY_COMMAND_EXECUTION: true, XPACK_LICENSE_IS_VALID: true };

/** Loads the code of the requested page, if the remembered role may open it. */
function preloadPage(path: string): void {
  const screen = screenOf(SCREENS, path);
  if (screen && isAllowed(screen, rememberedRole(), ALL))
    screen.component?.preload?.()?.catch(() => undefined);
}

/** One request answers the steps of the guard that need the server. */
async function requestStart(): Promise<ConsoleStart> {
  const start = await api.get<ConsoleStart>(`${PROFILE_URL}start/`, { quiet: true });
  setPreferences(queryClient, start.preferences);
  return start;
}

export function browserEnvironment(): GuardEnvironment {
  const path = location.pathname.slice(BASE_PATH.length) || '/';
  let started: Promise<ConsoleStart> | undefined;
  const start = () => {
    started ??= requestStart();
    return started;
  };
  return {
    screens: SCREENS,
    parts: PARTS,
    path,
    setTitle: (screen: Screen | undefined) => setDocumentTitle(screen && t(screen.title)),
    hasCsrfCookie: () => readCookie(COOKIES.csrf) !== undefined,
    loadProfile: async () => {
      // The second profile is that of another organization.
      if (started) return api.get<Profile>(PROFILE_URL, { quiet: true });
      const requested = start();
      preloadPage(path);
      return (await requested).profile;
    },
    rememberedOrganization,
    rememberOrganization,
    rememberedRole,
    rememberRole,
    loadPublicSettings: async () => {
      const { settings } = await start();
      showBrand(settings);
      return settings;
    },
    // Few accounts have a duty, so the rules load on demand.
    limitToDuty: async (...of) => (await import('./duty-session.ts')).sessionOfDuty(...of),
    isRefusal: (error) => error instanceof ApiError && error.status >= 400 && error.status < 500,
  };
}
