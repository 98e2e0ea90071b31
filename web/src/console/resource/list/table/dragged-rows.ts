import type { DragEvent, PointerEvent } from 'react';
import type { Selection } from '../selection/selection.ts';

/** Drag data type: row ids as JSON, known only to our own pages. */
export const DRAGGED_ROWS = 'application/x-sallyport-rows';

const rowOf = (target: EventTarget) => (target as Element).closest<HTMLElement>('tr[data-row]');

/**
 * Allows dragging the rows of a table; dragging a selected row takes all selected rows along.
 * Unselected rows drag by checkbox or link, so their text stays selectable.
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
      // The list does not hold the rows of a set, so a set cannot be dragged.
      if (!id || selection.set()) return;
      dataTransfer.setData(
        DRAGGED_ROWS,
        JSON.stringify(selection.has(id) ? selection.rows().map((row) => row.id) : [id]),
      );
      dataTransfer.effectAllowed = 'copyMove';
    },
  };
}
