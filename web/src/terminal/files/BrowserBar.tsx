import { ActionIcon, Button, CloseButton, Menu, TextInput, Tooltip } from '@mantine/core';
import { type DragEvent, type RefObject, useRef } from 'react';
import { t } from '../../kit/i18n/index.ts';
import {
  IconArrowLeft,
  IconArrowRight,
  IconArrowUp,
  IconCheck,
  IconDots,
  IconDownload,
  IconFilePlus,
  IconFilter,
  IconFolderPlus,
  IconFolders,
  IconRefresh,
  IconTrash,
  IconUpload,
  IconUser,
} from '../icons.ts';
import { Breadcrumbs } from './Breadcrumbs.tsx';
import { type LocalFiles, readChosen } from './dropped-files.ts';
import styles from './Files.module.css';
import type { FileManager, FilesSnapshot } from './file-manager.ts';
import { words } from './words.ts';

interface Props {
  readonly manager: FileManager;
  readonly state: FilesSnapshot;
  readonly filter: string;
  readonly onFilter: (text: string) => void;
  readonly filterRef: RefObject<HTMLInputElement | null>;
  readonly showHidden: boolean;
  readonly onShowHidden: () => void;
  readonly chosenCount: number;
  readonly mayUpload: boolean;
  readonly mayDownload: boolean;
  readonly onUpload: (files: LocalFiles) => void;
  readonly onDownload: () => void;
  readonly onDelete: () => void;
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
    <Tooltip label={reason ?? label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={32}
        aria-label={label}
        aria-disabled={disabled}
        {...(disabled && { 'data-disabled': true })}
        onClick={() => !disabled && onClick()}
      >
        <Icon size={17} />
      </ActionIcon>
    </Tooltip>
  );
}

/** The tools above the list: path, search and actions. */
export function BrowserBar(props: Props) {
  const {
    manager,
    state,
    filter,
    onFilter,
    filterRef,
    chosenCount,
    mayUpload,
    mayDownload,
    onUpload,
  } = props;
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const noUpload = mayUpload ? undefined : t(words.noUpload);
  const noDownload = mayDownload ? undefined : t(words.noDownload);
  const take = (input: HTMLInputElement) => {
    if (input.files && input.files.length > 0) onUpload(readChosen(input.files));
    // Reset: the user may choose the same file again.
    input.value = '';
  };
  return (
    <>
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
        <Breadcrumbs
          path={state.path}
          onGo={(path) => void manager.go(path)}
          onDrop={props.onCrumbDrop}
        />
        <Tool label={t(words.refresh)} icon={IconRefresh} onClick={() => void manager.refresh()} />
      </div>
      <div className={styles.tools}>
        <TextInput
          ref={filterRef}
          size="xs"
          className={styles.filter}
          placeholder={t(words.filterShort)}
          aria-label={t(words.filter)}
          leftSection={<IconFilter size={14} />}
          rightSection={
            filter ? (
              <CloseButton
                size="xs"
                aria-label={t(words.clearFilter)}
                onClick={() => onFilter('')}
              />
            ) : null
          }
          value={filter}
          maxLength={255}
          onChange={(event) => onFilter(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === 'Escape') onFilter('');
            if (event.key === 'Escape' || event.key === 'Enter' || event.key === 'ArrowDown')
              props.onLeaveFilter();
          }}
        />
        <span className={styles.spring} />
        {chosenCount > 0 ? (
          <>
            <Tool
              label={t(words.download)}
              reason={noDownload}
              disabled={!mayDownload}
              icon={IconDownload}
              onClick={props.onDownload}
            />
            <Tool
              label={t(words.delete)}
              reason={noUpload}
              disabled={!mayUpload}
              icon={IconTrash}
              onClick={props.onDelete}
            />
          </>
        ) : null}
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <Tooltip label={noUpload} disabled={mayUpload}>
              <Button
                size="xs"
                flex="none"
                leftSection={<IconUpload size={15} />}
                aria-disabled={!mayUpload}
                {...(mayUpload ? {} : { 'data-disabled': true })}
              >
                {t(words.upload)}
              </Button>
            </Tooltip>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<IconUpload size={15} />}
              disabled={!mayUpload}
              onClick={() => files.current?.click()}
            >
              {t(words.uploadFiles)}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconFolders size={15} />}
              disabled={!mayUpload}
              onClick={() => folder.current?.click()}
            >
              {t(words.uploadFolder)}
            </Menu.Item>
            {mayUpload ? null : <Menu.Label>{noUpload}</Menu.Label>}
          </Menu.Dropdown>
        </Menu>
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" size={32} aria-label={t(words.more)}>
              <IconDots size={17} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<IconFolderPlus size={15} />}
              disabled={!mayUpload}
              title={noUpload}
              onClick={() => props.onMake('make_folder')}
            >
              {t(words.newFolder)}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconFilePlus size={15} />}
              disabled={!mayUpload}
              title={noUpload}
              onClick={() => props.onMake('make_file')}
            >
              {t(words.newFile)}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              role="menuitemcheckbox"
              aria-checked={props.showHidden}
              leftSection={
                props.showHidden ? <IconCheck size={15} /> : <span className={styles.noIcon} />
              }
              onClick={props.onShowHidden}
            >
              {t(words.hidden)}
            </Menu.Item>
            {props.onOtherAccount ? (
              <Menu.Item leftSection={<IconUser size={15} />} onClick={props.onOtherAccount}>
                {t(words.otherAccount)}
              </Menu.Item>
            ) : null}
          </Menu.Dropdown>
        </Menu>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          aria-label={t(words.uploadFiles)}
          onChange={(event) => take(event.currentTarget)}
        />
        <input
          ref={(element) => {
            folder.current = element;
            // React has no type for this attribute.
            element?.setAttribute('webkitdirectory', '');
          }}
          type="file"
          hidden
          aria-label={t(words.uploadFolder)}
          onChange={(event) => take(event.currentTarget)}
        />
      </div>
    </>
  );
}
