import { useEffect, useRef } from 'react';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { usePreferences } from '../../base/preferences.ts';

/** Opens a list with the default view of the user if the address has no search. */
export function useDefaultView(list: string, on: boolean): void {
  const { preferences, loaded } = usePreferences();
  const search = useSearchRecord();
  const path = usePath();
  const go = useGo();
  const waits = useRef(on && Object.keys(search).length === 0);
  useEffect(() => {
    if (!loaded || !waits.current) return;
    waits.current = false;
    const view = preferences.views?.[list]?.[preferences.default_view?.[list] ?? ''];
    if (view) void go(path, { search: view.search, replace: true });
  }, [loaded, preferences, list, path, go]);
}
