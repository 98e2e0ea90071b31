import { api } from '../kit/api.ts';
import type { ThemeChoice } from '../kit/ThemeSwitch.tsx';

/**
 * Remembers the chosen appearance with the person's other preferences; the browser remembers it by
 * itself.
 */
export function rememberTheme(theme: ThemeChoice): void {
  // Failing costs only that another browser does not know of the choice.
  api.patch('users/preferences/', { theme }, { quiet: true }).catch(() => undefined);
}
