import { ActionIcon, Button, Checkbox, Group, Modal, Progress, Text } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import { memo, useState, useSyncExternalStore } from 'react';
import { useConnection } from '../../kit/connection/connection.ts';
import { useAnswerPause } from '../../kit/dialogs/useAnswerPause.ts';
import { clock } from '../../kit/format/format.ts';
import { sizeText } from '../../kit/format/size.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { ToolButton } from '../../kit/page/ToolButton.tsx';
import {
  IconAlertTriangle,
  IconChevronDown,
  IconCircleCheck,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconX,
} from '../icons.ts';
import { nameOf, parentOf, shownName } from './entries.ts';
import styles from './Files.module.css';
import { isEnded, type UploadItem, type UploadStatus } from './upload-items.ts';
import type { UploadQueue } from './upload-queue.ts';
import { words } from './words.ts';

/** Maximum visible rows; running and failed uploads come first. */
const SHOWN = 200;

const ORDER: Readonly<Record<UploadStatus, number>> = {
  asking: 0,
  running: 1,
  failed: 2,
  paused: 3,
  waiting: 4,
  done: 5,
  skipped: 6,
  cancelled: 7,
};

const STATES: Partial<Readonly<Record<UploadStatus, LocalText>>> = {
  waiting: words.waiting,
  paused: words.paused,
  asking: words.conflictTitle,
  done: words.done,
  skipped: words.skipped,
  cancelled: words.cancelled,
};

function Tool({
  label,
  onClick,
  icon: Icon,
}: {
  readonly label: string;
  readonly onClick: () => void;
  readonly icon: typeof IconX;
}) {
  return (
    <ToolButton label={label} size={28} onClick={onClick}>
      <Icon size={15} />
    </ToolButton>
  );
}

/** Drawn again only when its own file changes: a folder has many. */
const Row = memo(function Row({
  item,
  uploads,
}: {
  readonly item: UploadItem;
  readonly uploads: UploadQueue;
}) {
  const name = shownName(nameOf(item.path));
  const state = item.isWithoutTime ? words.doneWithoutTime : STATES[item.status];
  return (
    <li className={styles.upload} data-status={item.status}>
      <div className={styles.uploadText}>
        <span className={styles.uploadName} title={shownName(item.path)}>
          {name}
        </span>
        <span className={styles.uploadState}>
          {item.status === 'failed'
            ? item.error
            : state
              ? t(state)
              : `${sizeText(item.sent)} / ${sizeText(item.size)}`}
        </span>
      </div>
      {item.status === 'done' ? (
        <IconCircleCheck size={16} className={styles.ok} aria-hidden="true" />
      ) : null}
      {item.status === 'failed' ? (
        <IconAlertTriangle size={16} className={styles.bad} aria-hidden="true" />
      ) : null}
      {item.status === 'running' || item.status === 'waiting' ? (
        <Tool
          label={`${t(words.pause)}: ${name}`}
          icon={IconPlayerPause}
          onClick={() => uploads.pause(item.id)}
        />
      ) : null}
      {item.status === 'paused' ? (
        <Tool
          label={`${t(words.resume)}: ${name}`}
          icon={IconPlayerPlay}
          onClick={() => uploads.resume(item.id)}
        />
      ) : null}
      {item.status === 'failed' ? (
        <Tool
          label={`${t(common.retry)}: ${name}`}
          icon={IconRefresh}
          onClick={() => uploads.resume(item.id)}
        />
      ) : null}
      {isEnded(item) ? null : (
        <Tool
          label={`${t(words.cancelUpload)}: ${name}`}
          icon={IconX}
          onClick={() => uploads.cancel(item.id)}
        />
      )}
      {item.status === 'running' || item.status === 'paused' ? (
        <Progress
          className={styles.uploadBar}
          size={4}
          value={item.size === 0 ? 0 : (item.sent / item.size) * 100}
          aria-label={t(words.progressOf, { name })}
          transitionDuration={0}
        />
      ) : null}
    </li>
  );
});

/** Asks how to handle a file whose name exists. */
function Conflict({ item, uploads }: { readonly item: UploadItem; readonly uploads: UploadQueue }) {
  const [forAll, setForAll] = useState(false);
  const isPaused = useAnswerPause(item.id);
  const answer = (how: 'overwrite' | 'skip' | 'both') => {
    if (!isPaused) uploads.answer(item.id, how, forAll);
  };
  const paused = isPaused && { 'aria-disabled': true };
  return (
    <Modal opened onClose={() => answer('skip')} title={t(words.conflictTitle)}>
      <Text size="sm">
        {t(words.conflictHint, {
          name: shownName(nameOf(item.path)),
          folder: shownName(parentOf(item.path)),
        })}
      </Text>
      <Checkbox
        mt="md"
        label={t(words.forAll)}
        checked={forAll}
        onChange={(event) => setForAll(event.currentTarget.checked)}
      />
      <Group mt="lg" justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => answer('skip')} {...paused}>
          {t(words.skip)}
        </Button>
        <Button variant="default" onClick={() => answer('both')} {...paused}>
          {t(words.keepBoth)}
        </Button>
        <Button color="red" onClick={() => answer('overwrite')} data-autofocus {...paused}>
          {t(words.replace)}
        </Button>
      </Group>
    </Modal>
  );
}

/** The state of the open uploads: why they wait, or their speed and the time left. */
function stateText(
  open: readonly UploadItem[],
  of: { readonly isOnline: boolean; readonly isPaused: boolean; readonly speed: number },
): string {
  if (open.length === 0) return '';
  if (!of.isOnline) return t(words.offline);
  if (of.isPaused) return t(words.paused);
  if (of.speed <= 0) return '';
  const left = open.reduce((sum, { size, sent }) => sum + Math.max(0, size - sent), 0);
  const time = clock(Math.ceil(left / of.speed));
  return `${t(words.speed, { size: sizeText(of.speed) })} · ${t(words.timeLeft, { time })}`;
}

/** The uploads of this window: the progress of each file and of all files. */
export function UploadPanel({ uploads }: { readonly uploads: UploadQueue }) {
  const { items, asking, speed } = useSyncExternalStore(uploads.subscribe, uploads.snapshot);
  const isOnline = !useConnection().lost;
  const [folded, setFolded] = useState(false);
  if (items.length === 0) return null;
  const open = items.filter((item) => !isEnded(item));
  const done = items.filter(({ status }) => status === 'done').length;
  const failed = items.filter(({ status }) => status === 'failed').length;
  const isPaused = open.length > 0 && open.every(({ status }) => status === 'paused');
  const counted = items.filter(({ status }) => status !== 'cancelled' && status !== 'skipped');
  const size = counted.reduce((sum, item) => sum + item.size, 0);
  const sent = counted.reduce((sum, item) => sum + item.sent, 0);
  const title =
    open.length > 0
      ? t(words.uploadsRunning, { done, count: counted.length })
      : failed > 0
        ? t(words.uploadsEnded, { done, failed })
        : t(words.uploadsDone, { count: done });
  const visible = items
    .toSorted((one, other) => ORDER[one.status] - ORDER[other.status])
    .slice(0, SHOWN);
  return (
    <section className={styles.uploads} aria-label={t(words.uploads)}>
      <header>
        <strong role="status">{title}</strong>
        <span className={styles.uploadState}>{stateText(open, { isOnline, isPaused, speed })}</span>
        {open.length > 0 ? (
          <>
            {isPaused ? (
              <Tool
                label={t(words.resumeAll)}
                icon={IconPlayerPlay}
                onClick={() => uploads.resumeAll()}
              />
            ) : (
              <Tool
                label={t(words.pauseAll)}
                icon={IconPlayerPause}
                onClick={() => uploads.pauseAll()}
              />
            )}
            <Tool label={t(words.cancelAll)} icon={IconX} onClick={() => uploads.cancelAll()} />
          </>
        ) : (
          <>
            {failed > 0 ? (
              <Tool
                label={t(common.retry)}
                icon={IconRefresh}
                onClick={() => uploads.resumeAll()}
              />
            ) : null}
            <Tool label={t(words.closeList)} icon={IconX} onClick={() => uploads.clear()} />
          </>
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          size={28}
          aria-label={t(folded ? common.show : common.hide)}
          aria-expanded={!folded}
          onClick={() => setFolded(!folded)}
        >
          <IconChevronDown size={15} style={folded ? { rotate: '180deg' } : undefined} />
        </ActionIcon>
      </header>
      {open.length > 0 ? (
        <Progress
          size={3}
          radius={0}
          value={size === 0 ? 0 : (sent / size) * 100}
          aria-label={t(words.overall)}
          transitionDuration={0}
        />
      ) : null}
      {folded ? null : (
        <ul>
          {visible.map((item) => (
            <Row key={item.id} item={item} uploads={uploads} />
          ))}
        </ul>
      )}
      {asking ? <Conflict key={asking.id} item={asking} uploads={uploads} /> : null}
    </section>
  );
}
