import { allows, Permission } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useSession } from '../../base/session.tsx';
import type { TabSpec } from '../../resource/TabbedPage.tsx';
import { words } from './words.ts';

// Lazy-loaded with the tab.
const LinkedSessions = lazyComponent(() =>
  import('./LinkedSessions.tsx').then((module) => module.LinkedSessions),
);

/**
 * The sessions tab of an object, for users who may see sessions. `by` is the filter of the server.
 */
export function useSessionsTab(): (by: Readonly<Record<string, string>>) => readonly TabSpec[] {
  const { role } = useSession();
  return (by) =>
    allows(role.current, Permission.AUDIT)
      ? [{ name: 'Sessions', label: t(words.sessions), render: () => <LinkedSessions by={by} /> }]
      : [];
}
