import type { PublicSettings } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';
import { AnnouncementLine } from '../../kit/page/AnnouncementLine.tsx';
import { usePreferences } from '../base/preferences.ts';
import { useSession } from '../base/session.tsx';
import { isFirstVisit } from './useTopArea.ts';

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
  if (!content) return null;
  const { version, closable } = content;
  // The first page of a browser keeps the place until it knows whether the user closed the line;
  // later pages keep the height of the top area.
  if (closable && !loaded)
    return isFirstVisit() ? (
      <div style={{ visibility: 'hidden' }}>
        <AnnouncementLine content={content} />
      </div>
    ) : null;
  if (closable && preferences.closed_announcement === version) return null;
  return (
    <AnnouncementLine
      content={content}
      onClose={closable ? () => save({ closed_announcement: version }) : undefined}
    />
  );
}
