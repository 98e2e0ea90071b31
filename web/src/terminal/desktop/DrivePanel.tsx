import { Alert, Button, FileButton, Progress, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { askToDelete } from '../../kit/dialogs/confirm.ts';
import { sizeText } from '../../kit/format/size.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { ToolButton } from '../../kit/page/ToolButton.tsx';
import { IconDownload, IconFile, IconFolder, IconTrash, IconX } from '../icons.ts';
import styles from './Desktop.module.css';
import type { DesktopDrive, DriveTransfer } from './desktop-drive.ts';
import { ToolbarPanel } from './ToolbarPanel.tsx';
import { words } from './words.ts';

function Running({
  transfer: { name, passed, size },
  onCancel,
}: {
  readonly transfer: DriveTransfer;
  readonly onCancel: () => void;
}) {
  return (
    <div className={styles.driveTransfer} role="status">
      <span className={styles.fileText}>
        <span className={styles.fileName}>{name}</span>
        <span className={styles.fileState}>{`${sizeText(passed)} / ${sizeText(size)}`}</span>
        <Progress
          size={4}
          value={size === 0 ? 0 : (passed / size) * 100}
          aria-label={t(words.progressOf, { name })}
          transitionDuration={0}
        />
      </span>
      <ToolButton label={`${t(common.cancel)}: ${name}`} size={28} onClick={onCancel}>
        <IconX size={15} />
      </ToolButton>
    </div>
  );
}

/** The files of the drive that the desktop shows, in the directions that the permission allows. */
export function DrivePanel({ drive }: { readonly drive: DesktopDrive }) {
  const { facts, path, entries, transfer, error } = useSyncExternalStore(
    drive.subscribe,
    drive.snapshot,
  );
  if (!facts) return null;
  const { upload, download, used, max } = facts;
  const sorted = entries.toSorted(
    (one, other) =>
      Number(other.is_folder) - Number(one.is_folder) || one.name.localeCompare(other.name),
  );
  return (
    <ToolbarPanel label={t(words.drive)}>
      <Text size="sm">{t(words.driveHint)}</Text>
      <Text size="sm">{t(words.driveUsed, { used: sizeText(used), max: sizeText(max) })}</Text>
      {path === '' ? null : (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => void drive.open(path.split('/').slice(0, -1).join('/'))}
        >
          {t(words.driveUp, { path })}
        </Button>
      )}
      {entries.length === 0 ? <Text size="sm">{t(words.driveEmpty)}</Text> : null}
      <ul className={styles.fileList} aria-label={t(words.drive)}>
        {sorted.map(({ name, is_folder: isFolder, size }) => (
          <li key={name}>
            {isFolder ? <IconFolder size={16} aria-hidden /> : <IconFile size={16} aria-hidden />}
            <span className={styles.fileText}>
              {isFolder ? (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  justify="start"
                  onClick={() => void drive.open(path === '' ? name : `${path}/${name}`)}
                >
                  {name}
                </Button>
              ) : (
                <>
                  <span className={styles.fileName} title={name}>
                    {name}
                  </span>
                  <span className={styles.fileState}>{sizeText(size)}</span>
                </>
              )}
            </span>
            {download && !isFolder ? (
              <ToolButton
                label={`${t(words.download)}: ${name}`}
                size={28}
                disabled={transfer !== null}
                onClick={() => void drive.download(name)}
              >
                <IconDownload size={15} />
              </ToolButton>
            ) : null}
            {upload ? (
              <ToolButton
                label={`${t(common.delete)}: ${name}`}
                size={28}
                onClick={() => askToDelete(name, () => drive.remove(name))}
              >
                <IconTrash size={15} />
              </ToolButton>
            ) : null}
          </li>
        ))}
      </ul>
      {upload ? (
        <FileButton
          multiple
          disabled={transfer !== null}
          onChange={(chosen) => chosen.length > 0 && void drive.upload(chosen)}
        >
          {(props) => (
            <Button {...props} size="compact-sm" disabled={transfer !== null}>
              {t(words.driveUpload)}
            </Button>
          )}
        </FileButton>
      ) : null}
      {transfer ? <Running transfer={transfer} onCancel={() => drive.cancel()} /> : null}
      {error === null ? null : (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
    </ToolbarPanel>
  );
}
