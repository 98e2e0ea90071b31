import { Button, FileButton, Progress, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { sizeText } from '../../kit/format/size.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { ToolButton } from '../../kit/page/ToolButton.tsx';
import { shownName } from '../files/entries.ts';
import { IconAlertTriangle, IconCircleCheck, IconDownload, IconX } from '../icons.ts';
import styles from './Desktop.module.css';
import type { DesktopFiles } from './desktop-files.ts';
import type { FileTransfer } from './file-transfers.ts';
import { ToolbarPanel } from './ToolbarPanel.tsx';
import { words } from './words.ts';

/** Maximum visible rows. */
const SHOWN = 200;

const STATES = { waiting: words.toBePasted, done: words.done, cancelled: words.cancelled } as const;

const nameOf = (name: string) => shownName(name.replaceAll('\\', '/'));

function TransferRow({
  transfer,
  files,
}: {
  readonly transfer: FileTransfer;
  readonly files: DesktopFiles;
}) {
  const { id, operation, size, passed, status, error } = transfer;
  const name = nameOf(transfer.name);
  const isOpen = status === 'waiting' || status === 'running';
  const state =
    status === 'running'
      ? `${sizeText(passed)} / ${sizeText(size)}`
      : status === 'failed'
        ? error
        : t(status === 'waiting' && operation === 'download' ? words.queued : STATES[status]);
  return (
    <li data-status={status}>
      <span className={styles.fileText}>
        <span className={styles.fileName} title={name}>
          {name}
        </span>
        <span className={styles.fileState}>{state}</span>
        {status === 'running' ? (
          <Progress
            size={4}
            value={size === 0 ? 0 : (passed / size) * 100}
            aria-label={t(words.progressOf, { name })}
            transitionDuration={0}
          />
        ) : null}
      </span>
      {status === 'done' ? <IconCircleCheck size={16} aria-hidden="true" /> : null}
      {status === 'failed' ? <IconAlertTriangle size={16} aria-hidden="true" /> : null}
      {isOpen ? (
        <ToolButton
          label={`${t(common.cancel)}: ${name}`}
          size={28}
          onClick={() => files.cancel(id)}
        >
          <IconX size={15} />
        </ToolButton>
      ) : null}
    </li>
  );
}

/** Transfers files between desktop and computer, in the directions that the permission allows. */
export function FilesPanel({ files }: { readonly files: DesktopFiles }) {
  const { rights, offered, transfers } = useSyncExternalStore(files.subscribe, files.snapshot);
  if (!rights?.upload && !rights?.download) return null;
  const plain = offered.flatMap((file, index) => (file.isFolder ? [] : [{ ...file, index }]));
  const ended = transfers.filter(({ status }) => status !== 'waiting' && status !== 'running');
  const running = transfers.length - ended.length;
  return (
    <ToolbarPanel label={t(words.files)}>
      {rights.download ? (
        <section aria-label={t(words.fromDesktop)}>
          <Text size="sm" fw={600}>
            {t(words.fromDesktop)}
          </Text>
          {plain.length === 0 ? <Text size="sm">{t(words.nothingOffered)}</Text> : null}
          {plain.length > 1 ? (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => plain.map(({ index }) => files.download(index))}
            >
              {t(words.downloadAll, { count: plain.length })}
            </Button>
          ) : null}
          <ul className={styles.fileList}>
            {plain.slice(0, SHOWN).map(({ name, size, index }) => (
              <li key={index}>
                <span className={styles.fileText}>
                  <span className={styles.fileName} title={nameOf(name)}>
                    {nameOf(name)}
                  </span>
                  <span className={styles.fileState}>{sizeText(size)}</span>
                </span>
                <ToolButton
                  label={`${t(words.download)}: ${nameOf(name)}`}
                  size={28}
                  onClick={() => files.download(index)}
                >
                  <IconDownload size={15} />
                </ToolButton>
              </li>
            ))}
          </ul>
          {plain.length > SHOWN ? (
            <Text size="sm">{t(words.moreFiles, { count: plain.length - SHOWN })}</Text>
          ) : null}
        </section>
      ) : null}
      {rights.upload ? (
        <section aria-label={t(words.toDesktop)}>
          <Text size="sm" fw={600}>
            {t(words.toDesktop)}
          </Text>
          <Text size="sm">{t(words.howToPaste)}</Text>
          <FileButton
            multiple
            onChange={(chosen) =>
              chosen.length > 0 &&
              files.offer({ files: chosen.map((file) => ({ path: file.name, file })), folders: [] })
            }
          >
            {(props) => (
              <Button {...props} size="compact-sm">
                {t(words.chooseFiles)}
              </Button>
            )}
          </FileButton>
        </section>
      ) : null}
      {transfers.length > 0 ? (
        <section aria-label={t(words.transfers)}>
          <Text size="sm" fw={600} role="status">
            {running > 0
              ? t(words.transfersOpen, { count: running })
              : t(words.transfersOver, { count: ended.length })}
          </Text>
          <ul className={styles.fileList}>
            {transfers
              .toReversed()
              .slice(0, SHOWN)
              .map((transfer) => (
                <TransferRow key={transfer.id} transfer={transfer} files={files} />
              ))}
          </ul>
          {ended.length > 0 ? (
            <Button size="compact-sm" variant="default" onClick={() => files.clear()}>
              {t(words.clearEnded)}
            </Button>
          ) : null}
        </section>
      ) : null}
    </ToolbarPanel>
  );
}
