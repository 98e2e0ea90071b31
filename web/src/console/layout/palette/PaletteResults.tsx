import type { SearchHit } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { OptionList } from '../../../kit/palette/OptionList.tsx';
import type { Offer, PaletteOption, ResultsProps } from '../../../kit/palette/option.ts';
import { openWindow } from '../../base/addresses.ts';
import { useGoAddress, useLoadAhead, usePath } from '../../base/navigation.tsx';
import { findSummary } from '../../base/resources.ts';
import { isFound, screenOf } from '../../base/screen.ts';
import { useSession } from '../../base/session.tsx';
import { currentTabs } from '../../base/tabs/store.ts';
import { titleOf } from '../../base/tabs/tab-list.ts';
import { words as frame } from '../../base/words.ts';
import { bestFit } from './fits.ts';
import { iconOfScreen } from './kinds.tsx';
import { useAccessQuestion } from './useAccessQuestion.tsx';
import { type FittingOption, useCommands } from './useCommands.tsx';
import { useHitOption } from './useHitOption.tsx';
import { useHits } from './useHits.ts';
import { words } from './words.ts';

const RECENT = 5;
const PAGES_FIRST = 4;

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

/** Groups objects by kind; the kind of the best match comes first. */
function groupsOf(
  hits: readonly SearchHit[],
): readonly (readonly [string, readonly SearchHit[]])[] {
  const groups = Map.groupBy(hits, ({ kind }) => kind);
  return [...groups].map(
    ([kind, members]) => [t(findSummary(kind)?.title ?? { en: kind, zh: kind }), members] as const,
  );
}

function useOffer(query: string): Offer {
  const typed = query.trim();
  const { hits, settled, failed } = useHits(typed);
  const option = useHitOption();
  const pages = usePages(typed);
  const commands = useCommands(typed);
  const recent = useRecent();
  const question = useAccessQuestion(query);
  if (question) return question;
  if (typed === '') {
    const used = hits.map((hit) => option(hit, t(words.used)));
    return {
      options: [...recent, ...used, ...pages.map((page) => page.option)],
      settled: recent.length > 0 || settled,
    };
  }
  // Pages and actions that begin with the text stay first, whatever the server finds.
  const first = [
    ...pages.filter(({ fit }) => fit === 0).slice(0, PAGES_FIRST),
    ...commands.filter(({ fit }) => fit === 0),
  ].map((one) => one.option);
  const others = [...pages, ...commands]
    .map((one) => one.option)
    .filter(({ key }) => !first.some((one) => one.key === key));
  const objects = groupsOf(hits).flatMap(([group, members]) =>
    members.map((hit) => option(hit, group)),
  );
  // Each part keeps its heading, although a heading may appear twice.
  return {
    options: [...first, ...objects, ...others],
    settled: first.length > 0 || settled,
    failed: failed && first.length + others.length === 0,
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
