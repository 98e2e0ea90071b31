import { BulkUpdateDialog } from '../bulk/BulkUpdateDialog.tsx';
import type { BulkUpdateSpec } from '../bulk/useBulkUpdate.ts';
import type { FieldOverrides } from '../form/spec.ts';
import { ExportDialog } from '../transfer/ExportDialog.tsx';
import type { ListExtent } from '../transfer/export-address.ts';
import { ImportDialog } from '../transfer/ImportDialog.tsx';
import type { ImportMode } from '../transfer/import-model.ts';
import { AdvancedFilter } from './search/AdvancedFilter.tsx';
import type { SearchField } from './search/search-fields.ts';
import type { SearchValue } from './search/useTagSearch.ts';
import type { QueryValues } from './useListPage.ts';

export type ListDialog = 'export' | 'import' | 'update' | 'filter';

export type BulkUpdate = BulkUpdateSpec & { readonly overrides?: FieldOverrides };

interface ListDialogsProps {
  readonly open: ListDialog | undefined;
  readonly onClose: () => void;
  readonly extent: () => ListExtent;
  readonly rows: () => readonly { readonly id: string }[];
  readonly modes: readonly ImportMode[];
  readonly bulkUpdate: BulkUpdate | undefined;
  readonly fields: readonly SearchField[];
  readonly search: SearchValue;
  readonly onSearch: (value: SearchValue) => void;
  readonly queryFor: (value: SearchValue) => QueryValues;
}

/** Draws the open dialog of a list, if any. */
export function ListDialogs({
  open,
  onClose,
  extent,
  rows,
  modes,
  bulkUpdate,
  fields,
  search,
  onSearch,
  queryFor,
}: ListDialogsProps) {
  return (
    <>
      {open === 'export' && <ExportDialog extent={extent()} onClose={onClose} />}
      {open === 'import' && <ImportDialog extent={extent()} modes={modes} onClose={onClose} />}
      {open === 'update' && bulkUpdate && (
        <BulkUpdateDialog
          source={extent().source}
          spec={bulkUpdate}
          rows={rows()}
          onClose={onClose}
        />
      )}
      {open === 'filter' && (
        <AdvancedFilter
          source={extent().source}
          {...{ fields, search, queryFor, onClose }}
          onApply={onSearch}
        />
      )}
    </>
  );
}
