import { allows, Permission, type SearchHit } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { IconDeviceDesktop, IconShieldCheck, IconTerminal2 } from '../../../kit/icons.ts';
import { OptionList } from '../../../kit/palette/OptionList.tsx';
import type { Offer, PaletteOption, ResultsProps } from '../../../kit/palette/option.ts';
import { openWindow } from '../../base/addresses.ts';
import { useGoAddress, useLoadAhead, usePath } from '../../base/navigation.tsx';
import { findSummary, pagesOf } from '../../base/resources.ts';
import { isFound, screenOf } from '../../base/screen.ts';
import { useSession } from '../../base/session.tsx';
import { currentTabs } from '../../base/tabs/store.ts';
import { titleOf } from '../../base/tabs/tab-list.ts';
import { words as frame } from '../../base/words.ts';
import { bestFit } from './fits.ts';
import { iconOfScreen } from './kinds.tsx';
import { type FittingOption, useCommands } from './useCommands.tsx';
import { useHitOption } from './useHitOption.tsx';
import { useHits } from './useHits.ts';
import { words } from './words.ts';

/** Ranks of objects by the match that the server found: objects precede pages of equal quality. */
const OBJECT_RANKS = [0, 2, 2, 4, 6] as const;
/** Ranks of pages and actions by their match. */
const PAGE_RANKS = [1, 3, 5, 7] as const;

/** Merges objects, pages and actions: equal names first, then beginnings, then the rest. */
export function rankedOptions(
  hits: readonly SearchHit[],
  pages: readonly FittingOption[],
  optionOf: (hit: SearchHit) => PaletteOption,
): readonly PaletteOption[] {
  const objects = hits.map((hit) => ({
    rank: OBJECT_RANKS[hit.fit] ?? OBJECT_RANKS[4],
    option: optionOf(hit),
  }));
  const others = pages.map(({ fit, option }) => ({ rank: PAGE_RANKS[fit], option }));
  const ranks = [...Map.groupBy([...objects, ...others], ({ rank }) => rank)];
  return ranks
    .toSorted(([one], [other]) => one - other)
    .flatMap(([, members]) =>
      // Options of one kind share a heading.
      [...Map.groupBy(members, ({ option }) => option.group).values()].flat(),
    )
    .map(({ option }) => option);
}

const QUESTION = /^\s*(\S.*?)\s*(?:→|->|>)\s*(\S.*?)\s*$/;
const FEW = 3;

/** Offers to check access for a query like `user > asset`; undefined for any other text. */
function useAccessQuestion(query: string): Offer | undefined {
  const { role } = useSession();
  const goAddress = useGoAddress();
  const [, who = '', what = ''] =
    (allows(role.current, Permission.ADMIN) && QUESTION.exec(query)) || [];
  const isAsked = who !== '';
  const users = useHits(who, { kind: 'user', limit: FEW, enabled: isAsked });
  const assets = useHits(what, { kind: 'asset', limit: FEW, enabled: isAsked });
  if (!isAsked) return undefined;
  const pairs = users.hits.flatMap((user) => assets.hits.map((asset) => ({ user, asset })));
  return {
    settled: users.settled && assets.settled,
    failed: users.failed || assets.failed,
    options: pairs.map(({ user, asset }) => {
      const address = `${pagesOf('user').detail(user.id)}?activeTab=UserAccess&check=${asset.id}`;
      return {
        key: `check-${user.id}-${asset.id}`,
        group: t(words.check),
        label: t(words.checkQuestion, { user: user.title, asset: asset.title }),
        note: `${user.note} → ${asset.note}`,
        icon: <IconShieldCheck size={16} />,
        run: () => void goAddress(address),
        address,
      };
    }),
  };
}

const RECENT = 5;

const LIST_SEARCHES = [
  { path: '/terminal/command', label: words.searchCommands, icon: IconTerminal2 },
  { path: '/terminal/session', label: words.searchSessions, icon: IconDeviceDesktop },
] as const;

const titleOfKind = ({ kind }: SearchHit) => t(findSummary(kind)?.title ?? { en: kind, zh: kind });

function usePages(query: string): readonly FittingOption[] {
  const { screens } = useSession();
  const goAddress = useGoAddress();
  return screens
    .filter((screen) => isFound(screen, query !== ''))
    .flatMap((screen) => {
      const fit = query === '' ? 0 : bestFit([screen.title, ...(screen.otherNames ?? [])], query);
      if (fit === undefined) return [];
      const option: PaletteOption = {
        key: screen.name,
        group: t(words.pages),
        label: t(screen.title),
        icon: iconOfScreen(screen),
        run: () => (screen.opens ? openWindow(screen.opens()) : void goAddress(screen.path)),
        ...(!screen.opens && { address: screen.path }),
      };
      return [{ fit, option }];
    });
}

function useRecent(): readonly PaletteOption[] {
  const { screens } = useSession();
  const goAddress = useGoAddress();
  const path = usePath();
  return currentTabs()
    .filter((tab) => tab.path !== path)
    .slice(-RECENT)
    .reverse()
    .map((tab) => ({
      key: `recent-${tab.path}`,
      group: t(words.recent),
      label: titleOf(screens, tab),
      icon: iconOfScreen(screenOf(screens, tab.path)),
      run: () => void goAddress(tab.address),
      address: tab.address,
    }));
}

/** Searches in lists that hold more than the palette finds. */
function useListSearches(text: string): readonly PaletteOption[] {
  const { screens } = useSession();
  const goAddress = useGoAddress();
  return LIST_SEARCHES.flatMap(({ path, label, icon: Icon }) => {
    if (text === '' || !screenOf(screens, path)) return [];
    const address = `${path}?${new URLSearchParams({ search: text })}`;
    return [
      {
        key: `search-${path}`,
        group: t(words.searchIn),
        label: t(label, { text }),
        icon: <Icon size={16} />,
        run: () => void goAddress(address),
        address,
      },
    ];
  });
}

function useOffer(query: string): Offer {
  const typed = query.trim();
  const { hits, settled, failed } = useHits(typed);
  const option = useHitOption();
  const pages = usePages(typed);
  const commands = useCommands(typed);
  const recent = useRecent();
  const searches = useListSearches(typed);
  const question = useAccessQuestion(query);
  if (question) return question;
  if (typed === '') {
    const used = hits.map((hit) => option(hit, t(words.used)));
    return {
      options: [...recent, ...used, ...pages.map((page) => page.option)],
      settled: recent.length > 0 || settled,
    };
  }
  const ranked = rankedOptions(hits, [...pages, ...commands], (hit) =>
    option(hit, titleOfKind(hit)),
  );
  return {
    options: [...ranked, ...searches],
    settled,
    failed: failed && ranked.length + searches.length === 0,
  };
}

/** Results of the palette: objects of every kind, pages and actions. */
export function PaletteResults(props: ResultsProps) {
  const offer = useOffer(props.query);
  const loadAhead = useLoadAhead();
  return (
    <OptionList
      {...props}
      label={t(frame.palette)}
      offer={offer}
      onSelect={({ address }) => {
        if (address) loadAhead(address);
      }}
    />
  );
}
