import { Button } from '@mantine/core';
import { allows } from '@sallyport/contract';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconPlus } from '../../../kit/icons.ts';
import { Loading, lazyComponent } from '../../../kit/lazy-component.tsx';
import { useGo, useGoButton, useLoadAhead } from '../../base/navigation.tsx';
import { usePages } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { words as bulkWords } from '../bulk/words.ts';
import { LIKE } from '../form/copied.ts';
import type { BeginBulk } from '../set/SetBar.tsx';
import { nameIn, type Source } from '../source.ts';
import type { ListExtent } from '../transfer/export-address.ts';
import type { ImportMode } from '../transfer/useImport.ts';
import type { Verdict } from '../verdict.ts';
import { BulkMenu } from './BulkMenu.tsx';
import { DateRangeWaiting } from './LazyTool.tsx';
import styles from './List.module.css';
import { type BulkUpdate, type ListDialog, ListDialogs } from './ListDialogs.tsx';
import { LoadFailed, NothingFound } from './ListStates.tsx';
import { ListToolbar } from './ListToolbar.tsx';
import { Pager } from './Pager.tsx';
import { ResourceTable } from './ResourceTable.tsx';
import type { RowAction } from './RowActions.tsx';
import { refusalToDelete, rowActions } from './row-actions.ts';
import type { SearchPreset } from './search-fields.ts';
import type { ChosenSet, Selection } from './selection.ts';
import { useDeleteRows } from './useDeleteRows.ts';
import { type ListPageOptions, useListPage } from './useListPage.ts';
import { words } from './words.ts';

// Loaded lazily: a list opens without a selection.
const SelectionBar = lazyComponent(() =>
  import('./SelectionBar.tsx').then((module) => module.SelectionBar),
);
const EmptyList = lazyComponent(() =>
  import('./EmptyState.tsx').then((module) => module.EmptyList),
);
const DateRangePicker = lazyComponent(() =>
  import('./DateRangePicker.tsx').then((module) => module.DateRangePicker),
);

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
  /** Title of the empty state; defaults to "no" plus the objects of the list. */
  readonly emptyTitle?: string;
  readonly emptyHint?: ReactNode;
}

/** Renders its children while rows are selected, without rerendering the list. */
function WhenSelected<T extends { readonly id: string }>({
  selection,
  children,
}: {
  readonly selection: Selection<T>;
  readonly children: ReactNode;
}) {
  return (
    useSyncExternalStore(selection.subscribe, selection.count) > 0 && <Loading>{children}</Loading>
  );
}

/**
 * The generic list page: toolbar, table, pager and four states (loading, empty, nothing found,
 * failed).
 */
export function ResourceList<T extends { readonly id: string }>(props: ResourceListProps<T>) {
  const {
    source,
    embedded = false,
    createSearch,
    hasDelete = false,
    hasSearch = true,
    days,
    extraActions,
  } = props;
  const go = useGo();
  const goButton = useGoButton();
  const loadAhead = useLoadAhead();
  const { role } = useSession();
  const pages = usePages(source.name);
  const editable = props.editable ?? !embedded;
  const createPath = editable && (!embedded || createSearch) ? pages.create : undefined;
  const updatePath = editable ? pages.update : undefined;
  const detailPath = pages.detail;
  const link = props.link ?? (detailPath && ((row: T) => detailPath(row.id)));
  const page = useListPage<T>(source, props);
  const { state, change, list, selection, columns: table } = page;
  const [dialog, setDialog] = useState<ListDialog>();

  const may = (needed: number | undefined) =>
    needed !== undefined && allows(role.permissions, needed);
  const modes: readonly ImportMode[] = [
    ...(may(source.access?.create) ? (['create'] as const) : []),
    ...(may(source.access?.update) ? (['update'] as const) : []),
  ];
  const rowsDeletion = useDeleteRows<T>(source);

  const exportable = (props.hasExport ?? !embedded) && source.access !== undefined;
  const hasBulkDelete = props.hasBulkDelete ?? hasDelete !== false;
  const hasBulk =
    hasBulkDelete || props.bulkActions !== undefined || props.bulkUpdate !== undefined;
  const bulkOf = (rows: readonly T[]): RowAction[] => [
    ...(props.bulkUpdate
      ? [{ key: 'update', label: t(bulkWords.updateSelected), run: () => setDialog('update') }]
      : []),
    ...(props.bulkActions?.(rows, selection.clear) ?? []),
    ...(hasBulkDelete
      ? [
          {
            key: 'delete',
            label: t(words.deleteSelected),
            danger: true,
            refusal: refusalToDelete(rows, props.canDelete, (row) => nameIn(source, row)),
            run: () => rowsDeletion.deleteSelected(rows, selection.clear),
          },
        ]
      : []),
  ];

  const handlers = {
    update: (row: T) =>
      updatePath &&
      void go(updatePath(row.id), { ...(props.updateSearch && { search: props.updateSearch }) }),
    ahead: (row: T) => updatePath && loadAhead(updatePath(row.id)),
    remove: rowsDeletion.deleteOne,
    ...(createPath &&
      source.copyWithout && {
        copy: (row: T) => void go(createPath, { search: { [LIKE]: row.id } }),
      }),
  };
  const actionsOf = (row: T): RowAction[] => [
    ...rowActions(row, { ...props, update: updatePath }, handlers),
    ...(extraActions?.(row, list.refresh) ?? []),
  ];

  const createButton = createPath && (
    <Button
      leftSection={<IconPlus size={16} />}
      {...goButton(createPath, { ...(createSearch && { search: createSearch }) })}
    >
      {t(common.create)}
    </Button>
  );

  return (
    <section className={styles.card} aria-label={t(source.title)}>
      <ListToolbar
        tools={{
          search: hasSearch,
          import: (props.hasImport ?? !embedded) && modes.length > 0,
          export: exportable,
          refresh: props.hasRefresh !== false,
        }}
        left={
          <>
            {createButton}
            {hasBulk && <BulkMenu selection={selection} actionsOf={bulkOf} />}
            {typeof props.toolbar === 'function' ? props.toolbar(page.extent) : props.toolbar}
          </>
        }
        dates={
          days !== undefined && (
            <Loading
              fallback={<DateRangeWaiting dateFrom={state.dateFrom} dateTo={state.dateTo} />}
            >
              <DateRangePicker
                key={`${state.dateFrom}${state.dateTo}`}
                dateFrom={state.dateFrom}
                dateTo={state.dateTo}
                onChange={change}
              />
            </Loading>
          )
        }
        fields={page.fields}
        presets={props.searchPresets}
        isPhrase={props.isPhrase}
        search={state}
        onSearch={(value) => change(value)}
        columns={{
          columns: table.labelled,
          visible: table.drawn,
          onVisible: table.setVisible,
          widths: table.widths,
          onWidth: table.setWidth,
          onForget: table.usual ? undefined : table.forget,
          compact: table.compact,
          onCompact: table.setCompact,
        }}
        views={
          embedded
            ? undefined
            : {
                list: source.name,
                columns: table.chosen ? table.visible : undefined,
                widths: table.widths,
              }
        }
        onOpen={setDialog}
        onRefresh={page.refresh}
        refreshing={list.busy}
      />
      <WhenSelected selection={selection}>
        <SelectionBar
          source={source}
          selection={selection}
          query={list.query}
          setChanges={{ remove: hasBulkDelete, update: props.bulkUpdate, more: props.setActions }}
          pageRows={list.rows}
          matching={list.count}
          readAll={list.readAll}
          nameOf={(row) => nameIn(source, row)}
          actionsOf={bulkOf}
        />
      </WhenSelected>
      {list.view === 'failed' && (
        <LoadFailed error={list.error} onRetry={() => void list.refresh()} />
      )}
      {list.view === 'empty' && (
        <Loading fallback={<div className={styles.state} />}>
          <EmptyList
            source={source}
            title={props.emptyTitle}
            hint={props.emptyHint}
            action={createButton}
          />
        </Loading>
      )}
      {list.view === 'nothing-found' && (
        <NothingFound onClear={() => change({ search: '', filters: {} })} />
      )}
      {(list.view === 'rows' || list.view === 'loading') && (
        <>
          <ResourceTable<T>
            source={source}
            columns={table.shown}
            chosen={table.chosen}
            linked={table.linked}
            widths={table.widths}
            onWidth={table.setWidth}
            onFit={table.onFit}
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
            draggable={props.draggable}
            expand={props.expand}
          />
          <Pager
            page={state.page}
            pages={list.pages}
            size={state.size}
            sizes={page.sizes}
            count={list.count}
            onPage={(page) => change({ page })}
            onSize={(size) => change({ size })}
          />
        </>
      )}
      <ListDialogs
        open={dialog}
        onClose={() => setDialog(undefined)}
        extent={page.extent}
        rows={selection.rows}
        modes={modes}
        bulkUpdate={props.bulkUpdate}
        fields={page.fields}
        search={state}
        onSearch={(value) => change(value)}
        queryFor={page.queryFor}
      />
    </section>
  );
}
