import { t } from '../../../kit/i18n/index.ts';
import { IconStar, IconStarFilled } from '../../../kit/icons.ts';
import type { RowAction } from '../../resource/list/RowActions.tsx';
import { type FavoriteKind, useFavorites } from '../home/useFavorites.ts';
import { words } from './words.ts';

/** The stars on the user's own applications. Lists of other users have none. */
export function useStars(kind: Exclude<FavoriteKind, 'asset'>, isOwn: boolean) {
  const favorites = useFavorites(kind, isOwn);
  return isOwn
    ? {
        extraActions: (
          { id }: { readonly id: string },
          refresh: () => Promise<void>,
        ): readonly RowAction[] => [
          {
            key: 'favorite',
            label: t(favorites.has(id) ? words.unmark : words.mark),
            icon: favorites.has(id) ? IconStarFilled : IconStar,
            iconOnly: true,
            disabled: !favorites.loaded,
            run: () => void favorites.toggle(id).then(refresh, () => undefined),
          },
        ],
      }
    : {};
}
