import { t } from '../../../kit/i18n/index.ts';
import { type Screen, screenOf } from '../screen.ts';
import type { Tab } from './tab-list.ts';

/** What a tab is called: as its page said, else as its screen is called. */
export function titleOf(screens: readonly Screen[], tab: Tab): string {
  const screen = screenOf(screens, tab.path);
  return tab.title || (screen ? t(screen.title) : tab.path);
}
