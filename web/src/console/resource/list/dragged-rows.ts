import type { DragEvent, PointerEvent } from 'react';
import type { Selection } from './selection.ts';

/** The type of what is dragged: the ids of rows, as JSON. Only our own pages know it. */
export const DRAGGED_ROWS = 'application/x-sallyport-rows';

const rowOf = (target: EventTarget) => (target as Element).closest<HTMLElement>('tr[data-row]');

/**
 * Lets the rows of a table be dragged: a selected one takes all selected ones along. Rows that are not selected are dragged by their box or
 * their link, so that their texts can still be marked.
 */
export function draggedRows(
  selection: Pick<Selection<{ readonly id: string }>, 'has' | 'rows' | 'set'>,
) {
  return {
    onPointerDown({ target }: PointerEvent) {
      const row = rowOf(target);
      if (row)
        row.draggable =
          selection.has(row.dataset.row ?? '') ||
          (target as Element).closest('td:first-child') !== null;
    },
    onDragStart({ target, dataTransfer }: DragEvent) {
      const id = rowOf(target)?.dataset.row;
      // A set is not held here: it cannot be dragged.
      if (!id || selection.set()) return;
      dataTransfer.setData(
        DRAGGED_ROWS,
        JSON.stringify(selection.has(id) ? selection.rows().map((row) => row.id) : [id]),
      );
      dataTransfer.effectAllowed = 'copyMove';
    },
  };
}
