import type { ImportToUndo, UndoneImport } from '@sallyport/contract';
import { ApiError, api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import type { Imported } from './import-model.ts';
import { words } from './words.ts';

/**
 * Returns the imports that an undo would revert. Imports that the server has forgotten are left
 * out.
 */
async function partsOf({ jobs }: Imported): Promise<readonly ImportToUndo[]> {
  const parts = await Promise.all(
    jobs.map((job) =>
      api.get<ImportToUndo>(`common/imports/${job}/`, { quiet: true }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }),
    ),
  );
  return parts.filter((part) => part !== undefined);
}

/**
 * Shows what undoing an import deletes, and undoes it after confirmation. Calls `done` afterwards.
 */
export async function askToUndo(imported: Imported, done: () => void): Promise<void> {
  const parts = await partsOf(imported).catch((error: unknown) => {
    toast.error(t(words.undoFailed), error instanceof Error ? error.message : '');
    return undefined;
  });
  if (!parts) return;
  const [count, kept] = [sum(parts.map((part) => part.count)), sum(parts.map((part) => part.kept))];
  const nodes = sum(parts.map((part) => part.nodes));
  if (count === 0 && nodes === 0) return toast.info(t(words.undoNothing));
  const names = parts.flatMap((part) => part.kept_names);
  const more = kept > names.length ? ' …' : '';
  const stays =
    kept > 0 ? ` ${t(words.undoKept, { count: kept, names: `${names.join(', ')}${more}` })}` : '';
  const emptied = nodes > 0 ? ` ${t(words.undoNodes, { count: nodes })}` : '';
  askFirst({
    title: t(words.undoTitle),
    message: `${t(words.undoQuestion, { count })}${emptied}${stays}`,
    confirm: t(words.undoTitle),
    danger: true,
    failure: t(words.undoFailed),
    async run() {
      let removed = 0;
      // Undo the last import first: its nodes may be inside nodes of an earlier one.
      for (const { id } of parts.toReversed())
        removed += (await api.post<UndoneImport>(`common/imports/${id}/undo/`, {}, { quiet: true }))
          .removed;
      toast.success(t(words.undone, { count: removed }));
      done();
    },
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
