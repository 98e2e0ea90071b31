import type { ReactNode } from 'react';
import type { BeginBulk } from '../set/SetBar.tsx';
import type { Source } from '../source.ts';
import type { ListExtent } from '../transfer/export-address.ts';
import type { Verdict } from '../verdict.ts';
import type { BulkUpdate } from './ListDialogs.tsx';
import type { SearchPreset } from './search/search-fields.ts';
import type { ChosenSet } from './selection/selection.ts';
import type { RowAction } from './table/RowActions.tsx';
import type { RowGroups } from './table/resource-table-props.ts';
import type { ListPageOptions } from './useListPage.ts';

export interface ResourceListProps<T> extends ListPageOptions<T> {
  readonly source: Source;
  /** Link of the first column; defaults to the detail page, if the resource has one. */
  readonly link?: (row: T) => string | undefined;
  /**
   * Offers to create and update rows, if the resource has the pages. Defaults to true unless
   * embedded.
   */
  readonly editable?: boolean;
  /** Preset values of a new row. An embedded list offers to create only with this. */
  readonly createSearch?: Readonly<Record<string, string>>;
  /** Query parameters for the update page, such as the parent object. */
  readonly updateSearch?: Readonly<Record<string, string>>;
  /** Decides if the update action of a row is enabled. */
  readonly canUpdate?: (row: T) => Verdict;
  readonly hasDelete?: boolean | ((row: T) => boolean);
  readonly canDelete?: (row: T) => Verdict;
  /** Offers to delete the selected rows. Defaults to true if rows can be deleted. */
  readonly hasBulkDelete?: boolean;
  /** Fields that users can change on all selected rows at once. */
  readonly bulkUpdate?: BulkUpdate;
  readonly hasSearch?: boolean;
  /** Predefined searches. */
  readonly searchPresets?: readonly SearchPreset[];
  /** Searches several typed words as one phrase. */
  readonly isPhrase?: boolean;
  readonly hasImport?: boolean;
  readonly hasExport?: boolean;
  readonly hasRefresh?: boolean;
  readonly extraActions?: (row: T, refresh: () => Promise<void>) => readonly RowAction[];
  /** Actions on the selected rows, in addition to delete and update. */
  readonly bulkActions?: (rows: readonly T[], done: () => void) => readonly RowAction[];
  /** Actions on a set of more rows than the list holds, in addition to delete and update. */
  readonly setActions?: (set: ChosenSet, begin: BeginBulk) => readonly RowAction[];
  /** Allows dragging rows, for example onto a tree. */
  readonly draggable?: boolean;
  /**
   * More toolbar buttons. A function receives access to the query and the selection of the list.
   */
  readonly toolbar?: ReactNode | ((extent: () => ListExtent) => ReactNode);
  readonly expand?: (row: T) => ReactNode;
  readonly groups?: RowGroups<T>;
  /** Title of the empty state; defaults to "no" plus the objects of the list. */
  readonly emptyTitle?: string;
  /** Title if no row matches the filters; defaults to “No matches”. */
  readonly noMatchTitle?: string | undefined;
  readonly emptyHint?: ReactNode;
  /** What to do when a search finds nothing. */
  readonly noMatchHint?: (search: string) => ReactNode;
}
