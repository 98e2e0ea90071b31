import type { Page } from '@sallyport/contract';
import type { QueryClient } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';
import { knownPreferences } from '../base/preferences.ts';
import { findSummary } from '../base/resources.ts';
import type { Screen } from '../base/screen.ts';
import { cacheKey, listUrl } from './source.ts';

/** The query of a list that opens without search, on its first page. */
export const FIRST_QUERY = {
  ...{ search: '', order: '', date_from: '', date_to: '' },
  ...{ limit: 15, offset: 0, display: 1, draw: 1 },
};

/**
 * Requests the first rows of a list before its code has loaded; the list then finds them. Only for
 * lists whose address says all of their query, and without a search or a default view.
 */
export function prefetchRows(client: QueryClient, screen: Screen | undefined, query: string): void {
  const source = screen?.plainRows && screen.resource ? findSummary(screen.resource) : undefined;
  if (!source || query !== '' || knownPreferences(client).default_view?.[source.name]) return;
  void client.prefetchQuery({
    queryKey: [...cacheKey(source), 'list', FIRST_QUERY],
    queryFn: ({ signal }) =>
      api.get<Page<unknown>>(listUrl(source), { query: FIRST_QUERY, signal, quiet: true }),
  });
}
