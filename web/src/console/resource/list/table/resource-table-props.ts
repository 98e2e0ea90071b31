import type { ReactNode } from 'react';
import type { Source } from '../../source.ts';
import type { Selection } from '../selection/selection.ts';
import type { Column } from './columns.tsx';
import type { RowAction } from './RowActions.tsx';

/** Draws a head over adjacent rows of one object, such as the accounts of a host. */
export interface RowGroups<T> {
  readonly key: (row: T) => string;
  readonly head: (row: T) => ReactNode;
}

export interface ResourceTableProps<T> {
  readonly source: Source;
  readonly columns: readonly Column<T>[];
  /** The user chose these columns: show all of them, even without room. */
  readonly chosen?: boolean;
  /** The column that links to the object; defaults to the first. */
  readonly linked?: string | undefined;
  /** Column widths in pixels chosen by the user. */
  readonly widths?: Readonly<Record<string, number>>;
  readonly onWidth?: (name: string, width: number | null) => void;
  /** Receives the names of the visible columns. */
  readonly onFit?: (names: readonly string[]) => void;
  readonly rows: readonly T[];
  readonly loading: boolean;
  readonly skeletonRows: number;
  readonly busy: boolean;
  readonly compact: boolean;
  readonly order: string;
  readonly onOrder: (order: string) => void;
  readonly link?: ((row: T) => string | undefined) | undefined;
  readonly actions?: ((row: T) => readonly RowAction[]) | undefined;
  readonly selection?: Selection<T> | undefined;
  /** Allows dragging rows. */
  readonly draggable?: boolean | undefined;
  readonly expand?: ((row: T) => ReactNode) | undefined;
  readonly groups?: RowGroups<T> | undefined;
}

export interface PartProps<T extends { readonly id: string }> {
  readonly table: ResourceTableProps<T>;
}

/** The number of columns, with those of boxes, folds and actions. */
export const widthOfTable = <T extends { readonly id: string }>(
  { selection, actions, expand }: ResourceTableProps<T>,
  columns: readonly Column<T>[],
) => columns.length + (selection ? 1 : 0) + (actions ? 1 : 0) + (expand ? 1 : 0);
