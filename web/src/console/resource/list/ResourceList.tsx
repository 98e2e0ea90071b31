import { Button } from '@mantine/core';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconPlus } from '../../../kit/icons.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useGoButton } from '../../base/navigation.tsx';
import { nameIn } from '../source.ts';
import { byVerdict } from '../verdict.ts';
import styles from './List.module.css';
import { ListBody, type ListBodyProps } from './ListBody.tsx';
import type { ListDialog } from './ListDialogs.tsx';
import { ListToolbar } from './ListToolbar.tsx';
import type { ResourceListProps } from './resource-list-props.ts';
import { DateRangePicker } from './search/DateRangePicker.tsx';
import { BulkMenu } from './selection/BulkMenu.tsx';
import type { Selection } from './selection/selection.ts';
import { useListActions } from './useListActions.ts';
import { useListPage } from './useListPage.ts';

const SelectionBar = lazyComponent(() =>
  import('./selection/SelectionBar.tsx').then((module) => module.SelectionBar),
);

const ListHistogram = lazyComponent(() =>
  import('./histogram/ListHistogram.tsx').then((module) => module.ListHistogram),
);

const ListDialogs = lazyComponent(() =>
  import('./ListDialogs.tsx').then((module) => module.ListDialogs),
);

/** Renders its children while rows are selected, without rerendering the list. */
function WhenSelected<T extends { readonly id: string }>({
  selection,
  children,
}: {
  readonly selection: Selection<T>;
  readonly children: ReactNode;
}) {
  return useSyncExternalStore(selection.subscribe, selection.count) > 0 && <>{children}</>;
}

/**
 * The generic list page: toolbar, table, pager and four states (loading, empty, nothing found,
 * failed).
 */
export function ResourceList<T extends { readonly id: string }>(props: ResourceListProps<T>) {
  const { source, createSearch } = props;
  const goButton = useGoButton();
  const page = useListPage<T>(source, props);
  const { state, change, list, selection } = page;
  const [dialog, setDialog] = useState<ListDialog>();
  const actions = useListActions(props, page, setDialog);
  const { createPath, readOnly, modes, hasBulkDelete, bulkOf } = actions;
  const mayChange = readOnly === undefined;
  const mayNotCreate = source.access?.create !== undefined ? readOnly : undefined;

  const create = createPath
    ? goButton(createPath, { ...(createSearch && { search: createSearch }) })
    : mayNotCreate !== undefined && byVerdict(mayNotCreate, () => undefined);
  const createButton = create && (
    <Button leftSection={<IconPlus size={16} />} {...create}>
      {t(common.create)}
    </Button>
  );

  const parts = { props, page, actions, createButton };

  return (
    <section className={styles.card} aria-label={t(source.title)}>
      <Toolbar {...parts} onOpen={setDialog} />
      <OverTime {...parts} />
      <WhenSelected selection={selection}>
        <SelectionBar
          source={source}
          selection={selection}
          query={list.query}
          setChanges={{
            remove: mayChange && hasBulkDelete,
            update: mayChange ? props.bulkUpdate : undefined,
            more: mayChange ? props.setActions : undefined,
          }}
          pageRows={list.rows}
          matching={list.count}
          readAll={list.readAll}
          nameOf={(row) => nameIn(source, row)}
          actionsOf={bulkOf}
        />
      </WhenSelected>
      <ListBody {...parts} />
      {dialog && (
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
      )}
    </section>
  );
}

/** The rows over time, in lists with a date range. */
function OverTime<T extends { readonly id: string }>({ props, page }: ListBodyProps<T>) {
  const { source, embedded = false, days } = props;
  const { state, change } = page;
  if (!source.histogram || embedded || days === undefined) return null;
  return (
    <div className={styles.overTime}>
      <ListHistogram
        source={source}
        options={source.histogram}
        query={page.queryFor(state)}
        onRange={change}
        onReset={page.resetDates}
        onFilter={(filter) => change({ filters: { ...state.filters, ...filter } })}
      />
    </div>
  );
}

type ToolbarProps<T extends { readonly id: string }> = ListBodyProps<T> & {
  readonly onOpen: (dialog: ListDialog) => void;
};

/** The toolbar with the tools that the list has. */
function Toolbar<T extends { readonly id: string }>({
  props,
  page,
  actions: { modes, exportable, hasBulk, bulkOf },
  createButton,
  onOpen,
}: ToolbarProps<T>) {
  const { source, embedded = false, hasSearch = true, days } = props;
  const { state, change, list, selection, columns: table } = page;
  return (
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
          <DateRangePicker
            key={`${state.dateFrom}${state.dateTo}`}
            dateFrom={state.dateFrom}
            dateTo={state.dateTo}
            onChange={change}
          />
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
      onOpen={onOpen}
      onRefresh={page.refresh}
      refreshing={list.busy}
    />
  );
}
