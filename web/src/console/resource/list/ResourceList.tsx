import { Button } from '@mantine/core';
import { allows } from '@sallyport/contract';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconPlus } from '../../../kit/icons.ts';
import { useGo } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { words as bulkWords } from '../bulk/words.ts';
import { type Source, textOf } from '../source.ts';
import type { ImportMode } from '../transfer/useImport.ts';
import { usePages } from '../usePages.ts';
import type { Verdict } from '../verdict.ts';
import { BulkMenu, SelectionBar } from './BulkMenu.tsx';
import type { Column } from './columns.tsx';
import { type DateRange, presetRange } from './dates.ts';
import styles from './List.module.css';
import { type BulkUpdate, type ListDialog, ListDialogs } from './ListDialogs.tsx';
import { EmptyState, LoadFailed, NothingFound } from './ListStates.tsx';
import { ListToolbar } from './ListToolbar.tsx';
import { emptyState, searchOf, sizesOf } from './list-state.ts';
import { Pager } from './Pager.tsx';
import { ResourceTable } from './ResourceTable.tsx';
import type { RowAction } from './RowActions.tsx';
import { refusalToDelete, rowActions } from './row-actions.ts';
import { type SearchField, searchFields } from './search-fields.ts';
import { useDeleteRows } from './useDeleteRows.ts';
import { useListColumns } from './useListColumns.ts';
import { useLocalListState, useUrlListState } from './useListState.ts';
import { useResourceList } from './useResourceList.ts';
import { useSelection } from './useSelection.ts';
import { words } from './words.ts';

const DateRangePicker = lazy(() => import('./DateRangePicker.tsx').then((module) => ({ default: module.DateRangePicker })));

type QueryValues = Readonly<Record<string, string | number>>;

export interface ResourceListProps<T> {
  readonly source: Source;
  readonly columns: readonly Column<T>[];
  /** Query values that make the list what it is; they always go along. */
  readonly base?: QueryValues;
  /** Query values that the person chose beside the list, such as a node of a tree. */
  readonly chosen?: QueryValues;
  /** What identifies a row that the server sends without an id. */
  readonly idOf?: (row: T) => string;
  /** The list stands inside of another page: it keeps its state to itself, and is neither imported nor exported. */
  readonly embedded?: boolean;
  /** Where the first column leads; absent: to the page of the object, if there is one. */
  readonly link?: (row: T) => string | undefined;
  /** Rows are created and updated from here, where the resource has pages for that; absent: unless the list is embedded. */
  readonly editable?: boolean;
  /** What a new row begins with. An embedded list creates only with it. */
  readonly createSearch?: Readonly<Record<string, string>>;
  /** Whether the actions of a row can be used. */
  readonly canUpdate?: (row: T) => Verdict;
  readonly hasDelete?: boolean | ((row: T) => boolean);
  readonly canDelete?: (row: T) => Verdict;
  /** Deleting the selected rows; absent: where rows can be deleted. */
  readonly hasBulkDelete?: boolean;
  /** What can be changed of all selected rows at once. */
  readonly bulkUpdate?: BulkUpdate;
  readonly hasSearch?: boolean;
  readonly hasImport?: boolean;
  readonly hasExport?: boolean;
  readonly hasRefresh?: boolean;
  /** How many rows a page has at first; absent: as every list. */
  readonly firstSize?: number;
  /** What can be searched by, where the server has no metadata to say it. */
  readonly searchBy?: readonly SearchField[];
  /** Values to choose from for fields that the server describes as plain texts. */
  readonly choicesOf?: Readonly<Record<string, NonNullable<SearchField['choices']>>>;
  /** What the server finds rows by beside their fields, such as what they are linked to. */
  readonly searchMore?: readonly SearchField[];
  readonly extraActions?: (row: T, refresh: () => Promise<void>) => readonly RowAction[];
  /** What can be done with the selected rows, besides deleting and updating them. */
  readonly bulkActions?: (rows: readonly T[], done: () => void) => readonly RowAction[];
  readonly toolbar?: ReactNode;
  /** The days that the date range begins with; absent: no date range. */
  readonly days?: number;
  readonly expand?: (row: T) => ReactNode;
  readonly refetchEvery?: number;
  readonly emptyHint?: string;
}

/** The generic list page: toolbar, table, pager, and the four designed states. Pages override what is particular to them. */
export function ResourceList<T extends { readonly id: string }>(props: ResourceListProps<T>) {
  const { source, columns, embedded = false, createSearch, hasDelete = false, hasSearch = true, days, extraActions } = props;
  const go = useGo();
  const { role } = useSession();
  const pages = usePages(source.name);
  const editable = props.editable ?? !embedded;
  const createPath = editable && (!embedded || createSearch) ? pages.create : undefined;
  const updatePath = editable ? pages.update : undefined;
  const detailPath = pages.detail;
  const link = props.link ?? (detailPath && ((row: T) => detailPath(row.id)));
  const urlState = useUrlListState(props.firstSize);
  const localState = useLocalListState(emptyState(props.firstSize));
  const [wished, change] = embedded ? localState : urlState;
  const [preset] = useState<DateRange | undefined>(() => (days ? presetRange(days) : undefined));
  const state = preset && !wished.dateFrom ? { ...wished, ...preset } : wished;
  const [dialog, setDialog] = useState<ListDialog>();

  const list = useResourceList<T>(source, state, change, {
    base: { ...props.base, ...props.chosen },
    ...(props.refetchEvery && { refetchEvery: props.refetchEvery }),
    ...(props.idOf && { idOf: props.idOf }),
  });
  const described = props.searchBy ?? searchFields(source.fields, Object.keys({ ...props.base, ...props.chosen }));
  const fields = [...described, ...(props.searchMore ?? [])].map((field) => ({
    ...field,
    ...(props.choicesOf?.[field.name] && { choices: props.choicesOf[field.name] }),
  }));
  const may = (needed: number | undefined) => needed !== undefined && allows(role.permissions, needed);
  const modes: readonly ImportMode[] = [
    ...(may(source.access?.create) ? (['create'] as const) : []),
    ...(may(source.access?.update) ? (['update'] as const) : []),
  ];
  const selection = useSelection<T>();
  const rowsDeletion = useDeleteRows<T>(source);
  const table = useListColumns(source, columns);
  const [fitting, setFitting] = useState<readonly string[]>();

  const exportable = !embedded && props.hasExport !== false && source.access !== undefined;
  const hasBulkDelete = props.hasBulkDelete ?? hasDelete !== false;
  const hasBulk = hasBulkDelete || props.bulkActions !== undefined || props.bulkUpdate !== undefined;
  const bulkOf = (rows: readonly T[]): RowAction[] => [
    ...(hasBulkDelete
      ? [
          {
            key: 'delete',
            label: t(words.deleteSelected),
            danger: true,
            refusal: refusalToDelete(rows, props.canDelete, (row) => textOf(row, source.labelField)),
            run: () => rowsDeletion.deleteSelected(rows, selection.clear),
          },
        ]
      : []),
    ...(props.bulkUpdate ? [{ key: 'update', label: t(bulkWords.updateSelected), run: () => setDialog('update') }] : []),
    ...(props.bulkActions?.(rows, selection.clear) ?? []),
  ];

  const doings = { update: (row: T) => updatePath && void go(updatePath(row.id)), remove: rowsDeletion.deleteOne };
  const actionsOf = (row: T): RowAction[] => [...rowActions(row, { ...props, update: updatePath }, doings), ...(extraActions?.(row, list.refresh) ?? [])];

  const createButton = createPath && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go(createPath, { ...(createSearch && { search: createSearch }) })}>
      {t(common.create)}
    </Button>
  );

  return (
    <section className={styles.card} aria-label={t(source.title)}>
      <ListToolbar
        tools={{
          search: hasSearch,
          import: !embedded && props.hasImport !== false && modes.length > 0,
          export: exportable,
          refresh: props.hasRefresh !== false,
        }}
        left={
          <>
            {createButton}
            {hasBulk && <BulkMenu selection={selection} actionsOf={bulkOf} />}
            {props.toolbar}
          </>
        }
        dates={
          days !== undefined && (
            <Suspense>
              <DateRangePicker key={`${state.dateFrom}${state.dateTo}`} dateFrom={state.dateFrom} dateTo={state.dateTo} onChange={change} />
            </Suspense>
          )
        }
        fields={fields}
        search={state}
        onSearch={(value) => change(value)}
        columns={{
          columns: table.labelled,
          visible: table.chosen ? table.visible : (fitting ?? table.visible),
          onVisible: table.setVisible,
          onForget: table.chosen ? table.forget : undefined,
          compact: table.compact,
          onCompact: table.setCompact,
        }}
        onOpen={setDialog}
        onRefresh={() => {
          selection.clear();
          void list.refresh();
        }}
        refreshing={list.busy}
      />
      <SelectionBar selection={selection} />
      {list.view === 'failed' && <LoadFailed error={list.error} onRetry={() => void list.refresh()} />}
      {list.view === 'empty' && <EmptyState title={t(words.empty, { what: t(source.title) })} hint={props.emptyHint} action={createButton} />}
      {list.view === 'nothing-found' && <NothingFound onClear={() => change({ search: '', filters: {} })} />}
      {(list.view === 'rows' || list.view === 'loading') && (
        <>
          <ResourceTable<T>
            source={source}
            columns={table.shown}
            chosen={table.chosen}
            onFit={setFitting}
            rows={list.view === 'rows' ? list.rows : []}
            loading={list.view === 'loading'}
            skeletonRows={embedded ? 5 : 10}
            busy={list.busy}
            compact={table.compact}
            order={state.order}
            onOrder={(order) => change({ order })}
            link={link}
            actions={updatePath || hasDelete !== false || extraActions ? actionsOf : undefined}
            selection={hasBulk || exportable ? selection : undefined}
            expand={props.expand}
          />
          <Pager
            page={state.page}
            pages={list.pages}
            size={state.size}
            sizes={sizesOf(props.firstSize)}
            count={list.count}
            onPage={(page) => change({ page })}
            onSize={(size) => change({ size })}
          />
        </>
      )}
      <ListDialogs
        open={dialog}
        onClose={() => setDialog(undefined)}
        extent={() => ({
          source,
          base: props.base ?? {},
          query: { ...props.chosen, ...searchOf(state) },
          selected: selection.rows().map(({ id }) => id),
        })}
        rows={selection.rows}
        modes={modes}
        bulkUpdate={props.bulkUpdate}
        fields={fields}
        search={state}
        onSearch={(value) => change(value)}
      />
    </section>
  );
}
