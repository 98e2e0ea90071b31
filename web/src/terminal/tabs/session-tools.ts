import type { Profile } from '@sallyport/contract';
import { api } from '../../kit/api.ts';
import { timeText } from '../../kit/format/format.ts';
import { t } from '../../kit/i18n/index.ts';
import { queryClient } from '../../kit/page/start-app.tsx';
import { words } from '../session/words.ts';
import { settingsStore } from '../settings/settings-store.ts';
import type { Appearance } from '../view/terminal-view.ts';
import type { SessionTools } from './session-snapshot.ts';

const STORAGE_KEY = 'sallyport-terminal-accounts';
/** Maximum remembered choices; the oldest are removed first. */
const KEPT = 300;

type Choices = readonly (readonly [person: string, asset: string, account: string])[];

function isChoice(value: unknown): value is Choices[number] {
  return (
    Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === 'string')
  );
}

function readChoices(): Choices {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isChoice) : [];
  } catch {
    return [];
  }
}

/**
 * Returns the account that the user chose last for an asset in this browser. The server decides if
 * the account is still granted.
 */
function chosenAccount(person: string, asset: string): string | undefined {
  return readChoices().find(([who, where]) => who === person && where === asset)?.[2];
}

/** Stores the account that the user chose for an asset. */
function rememberAccount(person: string, asset: string, account: string): void {
  const others = readChoices().filter(([who, where]) => who !== person || where !== asset);
  try {
    localStorage.setItem(
      STORAGE_KEY,
      JSON.stringify([[person, asset, account], ...others].slice(0, KEPT)),
    );
  } catch {
    // Without storage the user chooses again.
  }
}

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
