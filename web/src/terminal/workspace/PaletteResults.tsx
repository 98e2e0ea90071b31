import { useDebouncedValue } from '@mantine/hooks';
import { Permission, type SearchAnswer } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { api } from '../../kit/api.ts';
import { t } from '../../kit/i18n/index.ts';
import { OptionList } from '../../kit/palette/OptionList.tsx';
import type { PaletteOption, ResultsProps } from '../../kit/palette/option.ts';
import { IconExternalLink, IconServer, IconTerminal2 } from '../icons.ts';
import { words as windowWords } from '../words.ts';
import { words } from './words.ts';
import type { Workspace } from './workspace.ts';

const PAUSE = 80;
const LIMIT = 12;

/** Search results of the terminal window: tabs, granted assets, and pages of the console. */
export function PaletteResults({
  workspace,
  ...props
}: ResultsProps & { readonly workspace: Workspace }) {
  const { tabs } = useSyncExternalStore(workspace.subscribe, workspace.snapshot);
  const typed = props.query.trim();
  const [wanted] = useDebouncedValue(typed, PAUSE);
  const search = useQuery({
    queryKey: ['search', wanted],
    queryFn: ({ signal }) =>
      api.get<SearchAnswer>('search/', {
        query: { q: wanted, role: Permission.USE, kind: 'asset', limit: LIMIT },
        signal,
        quiet: true,
      }),
    placeholderData: keepPreviousData,
  });
  const settled =
    search.isError || (wanted === typed && !search.isPlaceholderData && !search.isPending);
  const parts = typed.toLowerCase().split(/\s+/);
  const fits = (text: string) => parts.every((word) => text.toLowerCase().includes(word));
  const open = tabs
    .filter(({ title }) => fits(title))
    .map(
      ({ id, title }): PaletteOption => ({
        key: `tab-${id}`,
        group: t(words.paletteTabs),
        label: title,
        icon: <IconTerminal2 size={16} />,
        run: () => workspace.dispatch({ type: 'activate', id }),
      }),
    );
  const assets = (search.data?.results ?? []).flatMap((hit): PaletteOption[] => {
    const { id, title, note, connects } = hit;
    if (!connects) return [];
    const asset = { id, hostname: title, ip: note };
    const connect = (as?: 'choose') => () => {
      api
        .post('search/uses/', { kind: hit.kind, object: id }, { quiet: true })
        .catch(() => undefined);
      workspace.open(asset, as && { wish: { kind: as } });
    };
    return [
      {
        key: `asset-${id}`,
        group: t(words.paletteAssets),
        label: title,
        note,
        icon: <IconServer size={16} />,
        run: connect(),
        connect: connect(),
        actions: [
          {
            key: `as-${id}`,
            group: title,
            label: t(words.connectAs),
            icon: <IconTerminal2 size={16} />,
            run: connect('choose'),
          },
        ],
      },
    ];
  });
  const pages: PaletteOption[] = [
    {
      key: 'console',
      group: t(words.palettePages),
      label: t(windowWords.console),
      icon: <IconExternalLink size={16} />,
      run: () => void window.open('/ui/', '_blank', 'noopener'),
    },
  ];
  return (
    <OptionList
      {...props}
      label={t(words.palette)}
      offer={{
        options: [...open, ...assets, ...pages.filter(({ label }) => fits(label))],
        settled,
        failed: search.isError,
      }}
    />
  );
}
