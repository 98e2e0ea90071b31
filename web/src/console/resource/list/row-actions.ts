import { common, t } from '../../../kit/i18n/index.ts';
import type { RowAction } from './RowActions.tsx';

/** Whether the rows of a list have the two usual actions at all, and whether these can be used (conformance 6.16). */
export interface RowFlags<T> {
  readonly update?: unknown;
  readonly canUpdate?: ((row: T) => boolean) | undefined;
  readonly hasDelete?: boolean | ((row: T) => boolean) | undefined;
  readonly canDelete?: ((row: T) => boolean) | undefined;
}

interface Doings<T> {
  readonly update: (row: T) => void;
  readonly remove: (row: T) => void;
}

const holds = <T>(flag: boolean | ((row: T) => boolean) | undefined, row: T) => (typeof flag === 'function' ? flag(row) : flag === true);

/** Updating and deleting a row, as far as the list and the row allow it. */
export function rowActions<T>(row: T, flags: RowFlags<T>, { update, remove }: Doings<T>): RowAction[] {
  return [
    ...(flags.update !== undefined ? [{ key: 'update', label: t(common.update), disabled: flags.canUpdate?.(row) === false, run: () => update(row) }] : []),
    ...(holds(flags.hasDelete, row)
      ? [{ key: 'delete', label: t(common.delete), danger: true, disabled: flags.canDelete?.(row) === false, run: () => remove(row) }]
      : []),
  ];
}
