import type { PublicSettings } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { usePreferences } from '../base/preferences.ts';
import { useSession } from '../base/session.tsx';

const AnnouncementLine = lazyComponent(
  () => import('../../kit/page/AnnouncementLine.tsx').then((module) => module.AnnouncementLine),
  <div style={{ minHeight: 36 }} />,
);

/** Interval of the query for a new announcement on an open page, in milliseconds. */
const EVERY = 300_000;

/** The announcement in force, above every page, until the user closes it. */
export function Announcement() {
  const { settings } = useSession();
  const { preferences, loaded, save } = usePreferences();
  const { data: content } = useQuery({
    queryKey: ['announcement'],
    queryFn: async ({ signal }) => {
      const path = 'settings/public/';
      const { data } = await api.get<{ data: PublicSettings }>(path, { signal, quiet: true });
      return data.ANNOUNCEMENT ?? null;
    },
    initialData: settings.ANNOUNCEMENT ?? null,
    staleTime: EVERY,
    refetchInterval: EVERY,
  });
  if (!content || (content.closable && !loaded)) return null;
  const { version, closable } = content;
  if (closable && preferences.closed_announcement === version) return null;
  return (
    <AnnouncementLine
      content={content}
      onClose={closable ? () => save({ closed_announcement: version }) : undefined}
    />
  );
}
