import { common, t } from '../../../../kit/i18n/index.ts';
import type { Verdict } from '../../verdict.ts';
import { words } from '../words.ts';
import type { RowAction } from './RowActions.tsx';

/**
 * Flags for the two standard actions of a list: offered or not, enabled or not (conformance 6.16).
 */
export interface RowFlags<T> {
  readonly hasUpdate?: boolean;
  readonly canUpdate?: ((row: T) => Verdict) | undefined;
  readonly hasDelete?: boolean | ((row: T) => boolean) | undefined;
  readonly canDelete?: ((row: T) => Verdict) | undefined;
}

interface Doings<T> {
  readonly update: (row: T) => void;
  /** Preloads the update page of a row. */
  readonly ahead: (row: T) => void;
  readonly remove: (row: T) => void;
  /** Creates an object like the row; absent if the list offers no copies. */
  readonly copy?: ((row: T) => void) | undefined;
}

const holds = <T>(flag: boolean | ((row: T) => boolean) | undefined, row: T) =>
  typeof flag === 'function' ? flag(row) : flag === true;

const asAction = (verdict: Verdict = true) =>
  typeof verdict === 'string' ? { refusal: verdict } : { disabled: !verdict };

/** Returns the update and delete actions that the list and the row allow. */
export function rowActions<T>(
  row: T,
  flags: RowFlags<T>,
  { update, ahead, remove, copy }: Doings<T>,
): RowAction[] {
  return [
    ...(flags.hasUpdate
      ? [
          {
            key: 'update',
            label: t(common.update),
            ...asAction(flags.canUpdate?.(row)),
            run: () => update(row),
            ahead: () => ahead(row),
          },
        ]
      : []),
    ...(copy ? [{ key: 'copy', label: t(words.createLike), run: () => copy(row) }] : []),
    ...(holds(flags.hasDelete, row)
      ? [
          {
            key: 'delete',
            label: t(common.delete),
            danger: true,
            ...asAction(flags.canDelete?.(row)),
            run: () => remove(row),
          },
        ]
      : []),
  ];
}

/** Returns the first reason against deleting the rows, or undefined. */
export function refusalToDelete<T>(
  rows: readonly T[],
  canDelete: RowFlags<T>['canDelete'],
  nameOf: (row: T) => string,
): string | undefined {
  for (const row of rows) {
    const verdict = canDelete?.(row) ?? true;
    if (verdict !== true)
      return t(words.notDeletable, { name: nameOf(row), why: verdict || t(words.protected) });
  }
  return undefined;
}
