import type { ReactNode } from 'react';
import { EmptyList } from './EmptyState.tsx';
import { LoadFailed, NothingFound } from './ListStates.tsx';
import { Pager } from './Pager.tsx';
import type { ResourceListProps } from './resource-list-props.ts';
import { SearchedText } from './search/Marked.tsx';
import { ResourceTable } from './table/ResourceTable.tsx';
import type { ListActions } from './useListActions.ts';
import type { useListPage } from './useListPage.ts';

/** A list with its page, actions and button. */
export interface ListBodyProps<T extends { readonly id: string }> {
  readonly props: ResourceListProps<T>;
  readonly page: ReturnType<typeof useListPage<T>>;
  readonly actions: ListActions<T>;
  readonly createButton: ReactNode;
}

/** The rows of a list with their pager, or the reason why there are none. */
export function ListBody<T extends { readonly id: string }>({
  props,
  page,
  actions,
  createButton,
}: ListBodyProps<T>) {
  const { source, embedded = false } = props;
  const { state, change, list, selection, columns: table } = page;
  return (
    <>
      {list.view === 'failed' && (
        <LoadFailed error={list.error} onRetry={() => void list.refresh()} />
      )}
      {list.view === 'empty' && (
        <EmptyList
          source={source}
          title={props.emptyTitle}
          hint={props.emptyHint}
          action={createButton}
        />
      )}
      {list.view === 'nothing-found' && (
        <NothingFound
          title={props.noMatchTitle}
          hint={state.search && props.noMatchHint?.(state.search)}
          onClear={() => change({ search: '', filters: {} })}
        />
      )}
      {(list.view === 'rows' || list.view === 'loading') && (
        <SearchedText value={state.search}>
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
            link={actions.link}
            actions={actions.actionsOf}
            selection={actions.hasBulk || actions.exportable ? selection : undefined}
            draggable={props.draggable}
            expand={props.expand}
            groups={props.groups}
          />
          <Pager
            page={state.page}
            pages={list.pages}
            size={state.size}
            sizes={page.sizes}
            count={list.count}
            isHidden={list.view === 'loading'}
            onPage={(page) => change({ page })}
            onSize={(size) => change({ size })}
          />
        </SearchedText>
      )}
    </>
  );
}
