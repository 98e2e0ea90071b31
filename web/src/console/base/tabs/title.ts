import { t } from '../../../kit/i18n/index.ts';
import { type Screen, screenOf } from '../screen.ts';
import type { Tab } from './tab-list.ts';

/** The title of a tab: set by its page, else the title of its screen. */
export function titleOf(screens: readonly Screen[], tab: Tab): string {
  const screen = screenOf(screens, tab.path);
  return tab.title || (screen ? t(screen.title) : tab.path);
}
