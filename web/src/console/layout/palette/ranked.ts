import type { SearchHit } from '@sallyport/contract';
import type { PaletteOption } from '../../../kit/palette/option.ts';
import type { FittingOption } from './useCommands.tsx';

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
