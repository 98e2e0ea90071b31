import { useQueryClient } from '@tanstack/react-query';
import type { Source } from '../source.ts';

const load = () => import('./delete-rows.ts');

/**
 * Returns functions that delete one row or all selected rows, with one confirmation and one result
 * message.
 */
export function useDeleteRows<T extends { readonly id: string }>(source: Source) {
  const client = useQueryClient();
  return {
    deleteOne: (row: T) => void load().then(({ deleteOne }) => deleteOne(source, client, row)),
    deleteSelected: (rows: readonly T[], done: () => void) =>
      void load().then(({ deleteSelected }) => deleteSelected(source, client, rows, done)),
  };
}
