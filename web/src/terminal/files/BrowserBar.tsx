import { ActionIcon, CloseButton, Menu, TextInput } from '@mantine/core';
import type { DragEvent, RefObject } from 'react';
import { isComposing } from '../../kit/composing.ts';
import { t } from '../../kit/i18n/index.ts';
import { ToolButton } from '../../kit/page/ToolButton.tsx';
import {
  IconArrowLeft,
  IconArrowRight,
  IconArrowUp,
  IconCheck,
  IconChevronRight,
  IconDots,
  IconDownload,
  IconFilePlus,
  IconFilter,
  IconFolderPlus,
  IconRefresh,
  IconTrash,
  IconUser,
} from '../icons.ts';
import { type FileItem, shownName, stepsTo } from './entries.ts';
import styles from './Files.module.css';
import type { FileManager, FilesSnapshot } from './file-manager.ts';
import { UploadMenu } from './UploadMenu.tsx';
import type { FileActions } from './useFileActions.ts';
import { words } from './words.ts';

interface Props {
  readonly manager: FileManager;
  readonly state: FilesSnapshot;
  readonly filter: string;
  readonly onFilter: (text: string) => void;
  readonly filterRef: RefObject<HTMLInputElement | null>;
  readonly showHidden: boolean;
  readonly onShowHidden: () => void;
  readonly chosen: readonly FileItem[];
  readonly actions: FileActions;
  readonly mayUpload: boolean;
  readonly mayDownload: boolean;
  readonly onMake: (what: 'make_folder' | 'make_file') => void;
  readonly onCrumbDrop: (event: DragEvent, path: string) => void;
  readonly onLeaveFilter: () => void;
  readonly onOtherAccount: (() => void) | undefined;
}

function Tool(props: {
  readonly label: string;
  readonly reason?: string | undefined;
  readonly disabled?: boolean;
  readonly onClick: () => void;
  readonly icon: typeof IconArrowUp;
}) {
  const { label, reason, disabled = false, onClick, icon: Icon } = props;
  return (
    <ToolButton
      label={label}
      tip={reason ?? label}
      size={32}
      aria-disabled={disabled}
      {...(disabled && { 'data-disabled': true })}
      onClick={() => !disabled && onClick()}
    >
      <Icon size={17} />
    </ToolButton>
  );
}

/** Shows the folder, and leads to others. */
function PathTools({
  manager,
  state,
  onCrumbDrop,
}: Pick<Props, 'manager' | 'state' | 'onCrumbDrop'>) {
  return (
    <div className={styles.tools}>
      <Tool
        label={t(words.back)}
        icon={IconArrowLeft}
        disabled={!state.canGoBack}
        onClick={() => void manager.back()}
      />
      <span data-wide-only>
        <Tool
          label={t(words.forward)}
          icon={IconArrowRight}
          disabled={!state.canGoForward}
          onClick={() => void manager.forward()}
        />
      </span>
      <Tool
        label={t(words.up)}
        icon={IconArrowUp}
        disabled={state.path === '/'}
        onClick={() => void manager.up()}
      />
      <Breadcrumbs path={state.path} onGo={(path) => void manager.go(path)} onDrop={onCrumbDrop} />
      <Tool label={t(words.refresh)} icon={IconRefresh} onClick={() => void manager.refresh()} />
    </div>
  );
}

function FilterField({
  filter,
  onFilter,
  filterRef,
  onLeaveFilter,
}: Pick<Props, 'filter' | 'onFilter' | 'filterRef' | 'onLeaveFilter'>) {
  return (
    <TextInput
      ref={filterRef}
      size="xs"
      className={styles.filter}
      placeholder={t(words.filterShort)}
      aria-label={t(words.filter)}
      leftSection={<IconFilter size={14} />}
      rightSection={
        filter ? (
          <CloseButton size="xs" aria-label={t(words.clearFilter)} onClick={() => onFilter('')} />
        ) : null
      }
      value={filter}
      maxLength={255}
      onChange={(event) => onFilter(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (isComposing(event)) return;
        if (event.key === 'Escape') onFilter('');
        if (event.key === 'Escape' || event.key === 'Enter' || event.key === 'ArrowDown')
          onLeaveFilter();
      }}
    />
  );
}

/** Creates entries, shows hidden ones, and changes the account. */
function MoreMenu({
  mayUpload,
  onMake,
  showHidden,
  onShowHidden,
  onOtherAccount,
}: Pick<Props, 'mayUpload' | 'onMake' | 'showHidden' | 'onShowHidden' | 'onOtherAccount'>) {
  const up = { disabled: !mayUpload, title: mayUpload ? undefined : t(words.noUpload) };
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={32} aria-label={t(words.more)}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconFolderPlus size={15} />}
          {...up}
          onClick={() => onMake('make_folder')}
        >
          {t(words.newFolder)}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconFilePlus size={15} />}
          {...up}
          onClick={() => onMake('make_file')}
        >
          {t(words.newFile)}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          role="menuitemcheckbox"
          aria-checked={showHidden}
          leftSection={showHidden ? <IconCheck size={15} /> : <span className={styles.noIcon} />}
          onClick={onShowHidden}
        >
          {t(words.hidden)}
        </Menu.Item>
        {onOtherAccount ? (
          <Menu.Item leftSection={<IconUser size={15} />} onClick={onOtherAccount}>
            {t(words.otherAccount)}
          </Menu.Item>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The tools above the list: path, search and actions. */
export function BrowserBar(props: Props) {
  const { chosen, actions, mayUpload, mayDownload } = props;
  return (
    <>
      <PathTools {...props} />
      <div className={styles.tools}>
        <FilterField {...props} />
        <span className={styles.spring} />
        {chosen.length > 0 ? (
          <>
            <Tool
              label={t(words.download)}
              reason={mayDownload ? undefined : t(words.noDownload)}
              disabled={!mayDownload}
              icon={IconDownload}
              onClick={() => actions.download(chosen)}
            />
            <Tool
              label={t(words.delete)}
              reason={mayUpload ? undefined : t(words.noUpload)}
              disabled={!mayUpload}
              icon={IconTrash}
              onClick={() => actions.remove(chosen)}
            />
          </>
        ) : null}
        <UploadMenu mayUpload={mayUpload} onUpload={(local) => void actions.upload(local)} />
        <MoreMenu {...props} />
      </div>
    </>
  );
}

interface BreadcrumbsProps {
  readonly path: string;
  readonly onGo: (path: string) => void;
  readonly onDrop: (event: DragEvent, path: string) => void;
}

/** Where the list is, and the way back up; files can be dropped on each folder. */
function Breadcrumbs({ path, onGo, onDrop }: BreadcrumbsProps) {
  const steps = [
    { name: t(words.home), path: '/' },
    ...stepsTo(path).map((step) => ({ ...step, name: shownName(step.name) })),
  ];
  return (
    <nav className={styles.crumbs} aria-label={t(words.path)}>
      <ol>
        {steps.map((step, index) => (
          <li key={step.path}>
            {index > 0 ? <IconChevronRight size={13} aria-hidden="true" /> : null}
            <button
              type="button"
              aria-current={index === steps.length - 1 ? 'location' : undefined}
              onClick={() => onGo(step.path)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={(event) => onDrop(event, step.path)}
            >
              {step.name}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
