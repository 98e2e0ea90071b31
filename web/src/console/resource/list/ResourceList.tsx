import { Button, Menu } from '@mantine/core';
import { say } from '@sallyport/contract';
import { type ReactNode, useState } from 'react';
import { common, language, t } from '../../../kit/i18n/index.ts';
import { IconChevronDown, IconPlus } from '../../../kit/icons.ts';
import { useGo } from '../../navigation.tsx';
import { usePreferences } from '../../preferences.ts';
import { listUrl, type Source } from '../source.ts';
import { fieldsOf, useMetadata } from '../useMetadata.ts';
import type { Column } from './columns.tsx';
import { DateRangePicker } from './DateRangePicker.tsx';
import { type DateRange, presetRange } from './dates.ts';
import styles from './List.module.css';
import { ListMenus } from './ListMenus.tsx';
import { EmptyState, LoadFailed, NothingFound } from './ListStates.tsx';
import { EMPTY_STATE } from './list-state.ts';
import { Pager } from './Pager.tsx';
import { ResourceTable } from './ResourceTable.tsx';
import type { RowAction } from './RowActions.tsx';
import { type SearchField, searchFields } from './search-fields.ts';
import { TagSearch } from './TagSearch.tsx';
import { useDeleteRows } from './useDeleteRows.ts';
import { useLocalListState, useUrlListState } from './useListState.ts';
import { useResourceList } from './useResourceList.ts';
import { useSelection } from './useSelection.ts';
import { words } from './words.ts';

export interface ResourceListProps<T> {
  readonly source: Source;
  readonly columns: readonly Column<T>[];
  /** Query values that always go along. */
  readonly base?: Readonly<Record<string, string | number>>;
  /** What identifies a row that the server sends without an id. */
  readonly idOf?: (row: T) => string;
  /** The list stands inside of another page: it keeps its state to itself. */
  readonly embedded?: boolean;
  /** Where the first column leads. */
  readonly link?: (row: T) => string | undefined;
  readonly create?: { readonly path: string; readonly search?: Readonly<Record<string, string>> };
  /** Where a row is changed. */
  readonly update?: (row: T) => string;
  readonly canUpdate?: (row: T) => boolean;
  readonly canDelete?: (row: T) => boolean;
  readonly hasDelete?: boolean;
  readonly hasSearch?: boolean;
  /** What can be searched by, where the server has no metadata to say it. */
  readonly searchBy?: readonly SearchField[];
  readonly extraActions?: (row: T, refresh: () => Promise<void>) => readonly RowAction[];
  /** What can be done with the selected rows, besides deleting them. */
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
  const { source, columns, embedded = false, create, update, hasDelete = false, hasSearch = true, days, extraActions } = props;
  const go = useGo();
  const urlState = useUrlListState();
  const localState = useLocalListState(EMPTY_STATE);
  const [wished, change] = embedded ? localState : urlState;
  const [preset] = useState<DateRange | undefined>(() => (days ? presetRange(days) : undefined));
  const state = preset && !wished.dateFrom ? { ...wished, ...preset } : wished;

  const list = useResourceList<T>(source, state, change, {
    ...(props.base && { base: props.base }),
    ...(props.refetchEvery && { refetchEvery: props.refetchEvery }),
    ...(props.idOf && { idOf: props.idOf }),
  });
  const metadata = useMetadata(`${listUrl(source)}?draw=1&display=1`, hasSearch && !props.searchBy);
  const fields = props.searchBy ?? searchFields(fieldsOf(metadata.data, 'GET'), Object.keys(props.base ?? {}));
  const selection = useSelection<T>();
  const rowsDeletion = useDeleteRows<T>(source);
  const { preferences, save } = usePreferences();

  const labelled = columns.map((column) => {
    const field = source.fields[column.name];
    return { name: column.name, label: column.label ? t(column.label) : field ? say(field.label, language) : column.name };
  });
  const wanted = preferences.columns?.[source.name] ?? columns.filter((column) => !column.hidden).map(({ name }) => name);
  const known = wanted.filter((name) => columns.some((column) => column.name === name));
  const visible = known.length > 0 ? known : columns.map(({ name }) => name);
  const compact = preferences.density === 'compact';

  const selectable = hasDelete || props.bulkActions !== undefined;
  const bulk: RowAction[] = [
    ...(hasDelete
      ? [{ key: 'delete', label: t(words.deleteSelected), danger: true, run: () => rowsDeletion.deleteSelected(selection.rows, selection.clear) }]
      : []),
    ...(props.bulkActions?.(selection.rows, selection.clear) ?? []),
  ];

  function actionsOf(row: T): RowAction[] {
    return [
      ...(update ? [{ key: 'update', label: t(common.update), disabled: props.canUpdate?.(row) === false, run: () => void go(update(row)) }] : []),
      ...(hasDelete
        ? [{ key: 'delete', label: t(common.delete), danger: true, disabled: props.canDelete?.(row) === false, run: () => rowsDeletion.deleteOne(row) }]
        : []),
      ...(extraActions?.(row, list.refresh) ?? []),
    ];
  }

  const createButton = create && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go(create.path, { ...(create.search && { search: create.search }) })}>
      {t(common.create)}
    </Button>
  );

  return (
    <section className={styles.card} aria-label={t(source.title)}>
      <div className={styles.toolbar}>
        {createButton}
        {selectable && (
          <Menu position="bottom-start" withinPortal disabled={selection.rows.length === 0}>
            <Menu.Target>
              <Button variant="default" disabled={selection.rows.length === 0} rightSection={<IconChevronDown size={14} />}>
                {t(words.moreActions)}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {bulk.map(({ key, label, run, danger, disabled }) => (
                <Menu.Item key={key} onClick={run} disabled={disabled ?? false} {...(danger && { color: 'red' })}>
                  {label}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
        {props.toolbar}
        <div className={styles.grow}>
          {hasSearch && <TagSearch fields={fields} search={state.search} filters={state.filters} onChange={(value) => change(value)} />}
        </div>
        {days !== undefined && <DateRangePicker key={`${state.dateFrom}${state.dateTo}`} dateFrom={state.dateFrom} dateTo={state.dateTo} onChange={change} />}
        <ListMenus
          columns={labelled}
          visible={visible}
          onVisible={(names) => save({ columns: { ...preferences.columns, [source.name]: names } })}
          compact={compact}
          onCompact={(on) => save({ density: on ? 'compact' : 'comfortable' })}
          onRefresh={() => {
            selection.clear();
            void list.refresh();
          }}
          refreshing={list.busy}
        />
      </div>
      {selection.rows.length > 0 && (
        <div className={styles.selection} role="status">
          {t(words.selected, { count: selection.rows.length })}
          <Button size="compact-xs" variant="subtle" onClick={selection.clear}>
            {t(words.clearSelection)}
          </Button>
        </div>
      )}
      {list.view === 'failed' && <LoadFailed error={list.error} onRetry={() => void list.refresh()} />}
      {list.view === 'empty' && <EmptyState title={t(words.empty, { what: t(source.title) })} hint={props.emptyHint} action={createButton} />}
      {list.view === 'nothing-found' && <NothingFound onClear={() => change({ search: '', filters: {} })} />}
      {(list.view === 'rows' || list.view === 'loading') && (
        <>
          <ResourceTable<T>
            source={source}
            columns={columns.filter(({ name }) => visible.includes(name))}
            rows={list.view === 'rows' ? list.rows : []}
            loading={list.view === 'loading'}
            skeletonRows={embedded ? 5 : 10}
            busy={list.busy}
            compact={compact}
            order={state.order}
            onOrder={(order) => change({ order })}
            link={props.link}
            actions={update || hasDelete || extraActions ? actionsOf : undefined}
            selection={selectable ? selection : undefined}
            expand={props.expand}
          />
          <Pager
            page={state.page}
            pages={list.pages}
            size={state.size}
            count={list.count}
            onPage={(page) => change({ page })}
            onSize={(size) => change({ size })}
          />
        </>
      )}
    </section>
  );
}
