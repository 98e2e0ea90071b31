import type { Profile } from '@sallyport/contract';
import { api } from '../../kit/api.ts';
import { timeText } from '../../kit/format/format.ts';
import { t } from '../../kit/i18n/index.ts';
import { queryClient } from '../../kit/page/start-app.tsx';
import { words } from '../session/words.ts';
import { settingsStore } from '../settings/settings-store.ts';
import type { Appearance } from '../view/terminal-view.ts';
import { chosenAccount, rememberAccount } from './chosen-accounts.ts';
import type { SessionTools } from './session-snapshot.ts';

/** The signed-in user. */
export const loadPerson = (): Promise<Profile> =>
  queryClient.fetchQuery({
    queryKey: ['profile'],
    queryFn: () => api.get<Profile>('users/profile/', { quiet: true }),
    staleTime: 60_000,
  });

/** Tools of the sessions in every window. */
export const SESSION_TOOLS: Pick<SessionTools, 'remembered' | 'remember' | 'separator'> = {
  remembered: async (asset) => chosenAccount((await loadPerson()).id, asset),
  remember: (asset, account) =>
    void loadPerson().then(
      ({ id }) => rememberAccount(id, asset, account),
      () => undefined,
    ),
  separator: () => t(words.reconnectedAt, { time: timeText(new Date()) }),
};

/** Returns the appearance of a terminal on a light or dark page. */
export function appearanceOn(pageScheme: 'light' | 'dark'): Appearance {
  const {
    scheme,
    fontSize,
    font,
    lineHeight,
    cursorStyle,
    wordSeparators,
    scrollback,
    cursorBlink,
    screenReader,
  } = settingsStore.get();
  const look = {
    fontSize,
    font,
    lineHeight,
    cursorStyle,
    wordSeparators,
    scrollback,
    cursorBlink,
    screenReader,
  };
  return { ...look, scheme: scheme === 'auto' ? pageScheme : scheme };
}
