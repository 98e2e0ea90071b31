import { ActionIcon, Button, Popover, Tooltip } from '@mantine/core';
import { type ComponentType, type ReactNode, useId, useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import {
  IconBookmark,
  IconColumns,
  IconDots,
  IconDownload,
  IconFilter,
  IconRefresh,
  IconUpload,
} from '../../../kit/icons.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { ToolButton } from '../../../kit/page/ToolButton.tsx';
import type { ColumnMenuProps } from '../columns/ColumnMenu.tsx';
import type { ViewMenuProps } from '../views/ViewMenu.tsx';
import styles from './List.module.css';
import type { ListDialog } from './ListDialogs.tsx';
import type { SearchField, SearchPreset } from './search/search-fields.ts';
import { TagSearch } from './search/TagSearch.tsx';
import type { SearchValue } from './search/useTagSearch.ts';
import { words } from './words.ts';

const ColumnMenu = lazyComponent(() =>
  import('../columns/ColumnMenu.tsx').then((module) => module.ColumnMenu),
);

const ViewMenu = lazyComponent(() =>
  import('../views/ViewMenu.tsx').then((module) => module.ViewMenu),
);

interface PopoverToolProps {
  readonly label: string;
  readonly icon: ComponentType<{ readonly size?: number | string }>;
  readonly children: ReactNode;
}

/** A toolbar button that opens a popover. */
function PopoverTool({ label, icon: Icon, children }: PopoverToolProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-end"
      withinPortal
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Tooltip label={label} disabled={open}>
          <ActionIcon variant="default" size={34} aria-label={label} onClick={() => setOpen(!open)}>
            <Icon size={16} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={label} maw="calc(100vw - 24px)">
        {children}
      </Popover.Dropdown>
    </Popover>
  );
}

/** Tools of a list (conformance 2.75: each can be turned off). */
export interface ListTools {
  readonly search: boolean;
  readonly import: boolean;
  readonly export: boolean;
  readonly refresh: boolean;
}

interface ListToolbarProps {
  readonly tools: ListTools;
  /** Content on the left: the create button, the bulk menu and the buttons of the page. */
  readonly left: ReactNode;
  /** The date range; undefined for a list without one. */
  readonly dates: ReactNode;
  readonly fields: readonly SearchField[];
  readonly isPhrase?: boolean | undefined;
  readonly presets?: readonly SearchPreset[] | undefined;
  readonly search: SearchValue;
  readonly onSearch: (value: SearchValue) => void;
  readonly columns: ColumnMenuProps;
  /** The saved views; undefined for a list without views. */
  readonly views: ViewMenuProps | undefined;
  readonly onOpen: (dialog: ListDialog) => void;
  readonly onRefresh: () => void;
  readonly refreshing: boolean;
}

interface ToolProps {
  readonly label: string;
  readonly icon: ComponentType<{ readonly size?: number | string }>;
  readonly onClick: () => void;
  readonly loading?: boolean;
  /** Shows the label next to the icon on wide screens. */
  readonly word?: boolean;
}

function Tool({ label, icon: Icon, onClick, loading = false, word = false }: ToolProps) {
  if (word) {
    return (
      <Button
        variant="default"
        className={styles.tool ?? ''}
        aria-label={label}
        title={label}
        onClick={onClick}
        loading={loading}
      >
        <Icon size={16} />
        <span>{label}</span>
      </Button>
    );
  }
  return (
    <ToolButton label={label} variant="default" size={34} onClick={onClick} loading={loading}>
      <Icon size={16} />
    </ToolButton>
  );
}

/**
 * The bar above a table: actions on the left, search and small tools on the right. A phone shows
 * one row; a button unfolds the tools below it.
 */
export function ListToolbar(props: ListToolbarProps) {
  const { tools, left, dates, fields, search, onSearch, onOpen } = props;
  const [unfolded, setUnfolded] = useState(false);
  const toolsId = useId();
  return (
    <div className={styles.toolbar} {...(!unfolded && { 'data-folded': true })}>
      <div className={styles.left}>{left}</div>
      <div className={styles.grow}>
        {tools.search && (
          <TagSearch
            fields={fields}
            presets={props.presets}
            isPhrase={props.isPhrase}
            search={search.search}
            filters={search.filters}
            onChange={onSearch}
          />
        )}
      </div>
      <ActionIcon
        variant="default"
        size={34}
        className={styles.unfold}
        aria-label={t(words.tools)}
        aria-expanded={unfolded}
        aria-controls={toolsId}
        onClick={() => setUnfolded(!unfolded)}
      >
        <IconDots size={16} />
      </ActionIcon>
      {dates}
      <div className={styles.tools} id={toolsId}>
        {tools.search && fields.length > 0 && (
          <Tool
            label={t(words.advancedFilter)}
            icon={IconFilter}
            onClick={() => onOpen('filter')}
          />
        )}
        {props.views && (
          <PopoverTool label={t(words.views)} icon={IconBookmark}>
            <ViewMenu {...props.views} />
          </PopoverTool>
        )}
        <PopoverTool label={t(words.columns)} icon={IconColumns}>
          <ColumnMenu {...props.columns} />
        </PopoverTool>
        {tools.import && (
          <Tool label={t(words.import)} icon={IconUpload} onClick={() => onOpen('import')} word />
        )}
        {tools.export && (
          <Tool label={t(words.export)} icon={IconDownload} onClick={() => onOpen('export')} word />
        )}
        {tools.refresh && (
          <Tool
            label={t(common.refresh)}
            icon={IconRefresh}
            onClick={props.onRefresh}
            loading={props.refreshing}
          />
        )}
      </div>
    </div>
  );
}
