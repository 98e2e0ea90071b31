import { useQueryClient } from '@tanstack/react-query';
import { withOverlays } from '../../../kit/dialogs/overlay-host.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { useGo, usePath } from '../../base/navigation.tsx';
import { cacheKey, type Source } from '../source.ts';
import { nameSet } from '../useChosen.ts';
import type { ImportedActions } from './ImportActions.tsx';
import type { Imported } from './import-model.ts';
import { askToUndo } from './undo-import.ts';
import { words } from './words.ts';

/**
 * Handles the end of an import: shows the imported rows in the list, or undoes the import. Draws
 * nothing.
 */
export function useImported(
  source: Source,
  close: () => void,
): ImportedActions & { readonly onDone: (imported: Imported) => void } {
  const client = useQueryClient();
  const go = useGo();
  const path = usePath();
  const onShow = async ({ ids }: Imported) => {
    close();
    await go(path, { search: { spm: await nameSet(ids) } });
  };
  const onUndo = (imported: Imported) =>
    askToUndo(imported, () => {
      close();
      void client.invalidateQueries({ queryKey: cacheKey(source).slice(0, 2) });
    });
  return {
    onShow: (imported) => void onShow(imported),
    onUndo: (imported) => void onUndo(imported),
    onDone: (imported) => {
      close();
      const created = imported.mode === 'create';
      withOverlays((overlays) =>
        overlays.showOffers(
          t(created ? words.createdAll : words.updatedAll, { count: imported.ids.length }),
          [
            { label: t(words.showImported), run: () => void onShow(imported) },
            ...(created ? [{ label: t(words.undoTitle), run: () => void onUndo(imported) }] : []),
          ],
        ),
      );
    },
  };
}
