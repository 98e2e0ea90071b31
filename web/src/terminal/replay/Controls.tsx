import { ActionIcon, Button, Menu, Switch, Tooltip } from '@mantine/core';
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { copyText } from '../../kit/clipboard.ts';
import { toast } from '../../kit/dialogs/toast.tsx';
import { clock, timeText } from '../../kit/format/format.ts';
import { t } from '../../kit/i18n/index.ts';
import { ToolButton } from '../../kit/page/ToolButton.tsx';
import type { Playable } from '../../kit/recording/playable.ts';
import {
  IconCheck,
  IconLink,
  IconMaximize,
  IconMinimize,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerSkipBackFilled,
  IconPlayerSkipForwardFilled,
} from '../icons.ts';
import { words as windowWords } from '../words.ts';
import { useFullScreen } from '../workspace/useFullScreen.ts';
import styles from './Replay.module.css';
import { type ReplayEngine, SPEEDS } from './replay-engine.ts';
import { SeekBar, type SeekMark } from './SeekBar.tsx';
import { IDLE_LIMIT_SECONDS } from './timeline.ts';
import { words } from './words.ts';

/** Labels of the buttons that step between marks. */
const STEPS = {
  commands: { previous: words.previousCommand, next: words.nextCommand },
  keys: { previous: words.previousKeys, next: words.nextKeys },
} as const;

interface Props {
  readonly kind?: keyof typeof STEPS;
  readonly engine: ReplayEngine;
  readonly recording: Playable<{ readonly length: number }>;
  readonly started: Date | undefined;
  readonly marks: readonly SeekMark[];
  readonly onCommand: (by: 1 | -1) => void;
  /** Renders a preview of a second of the session, if the recording supports previews. */
  readonly preview?: ((second: number) => ReactNode) | undefined;
}

function Tool({
  label,
  disabled = false,
  onClick,
  children,
}: {
  readonly label: string;
  readonly disabled?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <ToolButton label={label} size={34} disabled={disabled} onClick={onClick}>
      {children}
    </ToolButton>
  );
}

/** Copies the address that opens this recording at the current position. */
async function copyMoment(second: number): Promise<void> {
  const address = new URL(location.href);
  address.search = `?at=${Math.floor(second)}`;
  if (await copyText(address.href)) toast.success(t(words.momentCopied, { time: clock(second) }));
  else toast.error(t(windowWords.copyFailed));
}

interface TimeButtonProps {
  readonly second: number;
  readonly duration: number;
  readonly started: Date | undefined;
}

/** The position as elapsed time or as time of day; a click changes it. */
function TimeButton({ second, duration, started }: TimeButtonProps) {
  const [wall, setWall] = useState(false);
  const hint = t(wall ? words.showElapsed : words.showWallClock);
  return (
    <Tooltip label={hint}>
      <button
        type="button"
        className={styles.time}
        disabled={!started}
        aria-description={hint}
        onClick={() => setWall(!wall)}
      >
        {wall && started ? (
          timeText(new Date(started.getTime() + second * 1000))
        ) : (
          <>
            {clock(second)} <span>/ {clock(duration)}</span>
          </>
        )}
      </button>
    </Tooltip>
  );
}

function SpeedMenu({
  speed,
  onSpeed,
}: {
  readonly speed: number;
  readonly onSpeed: (speed: (typeof SPEEDS)[number]) => void;
}) {
  return (
    <Menu position="top-end" withinPortal={false}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          className={styles.speed}
          aria-label={`${t(words.speed)}: ${speed}×`}
        >
          {speed}×
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t(words.speed)}</Menu.Label>
        {SPEEDS.map((value) => (
          <Menu.Item
            key={value}
            rightSection={value === speed ? <IconCheck size={14} /> : null}
            onClick={() => onSpeed(value)}
          >
            {value}×
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The control bar below the picture: seek bar, playback buttons and settings. */
export function Controls({
  kind = 'commands',
  engine,
  recording,
  started,
  marks,
  onCommand,
  preview,
}: Props) {
  const { playing, position, duration, speed, skipIdle, seeking, loading } = useSyncExternalStore(
    engine.subscribe,
    engine.snapshot,
  );
  const [full, toggleFull] = useFullScreen();
  const real = engine.timeline.toReal(position);
  return (
    <section
      className={styles.controls}
      aria-label={t(words.title)}
      aria-busy={seeking}
      data-loading={loading || undefined}
    >
      <SeekBar engine={engine} recording={recording} marks={marks} preview={preview} />
      <div className={styles.buttons}>
        <ActionIcon
          size={40}
          radius="xl"
          aria-label={t(playing ? words.pause : words.play)}
          onClick={() => (playing ? engine.pause() : engine.play())}
        >
          {playing ? <IconPlayerPauseFilled size={20} /> : <IconPlayerPlayFilled size={20} />}
        </ActionIcon>
        {marks.length > 0 ? (
          <>
            <Tool label={`${t(STEPS[kind].previous)} ( [ )`} onClick={() => onCommand(-1)}>
              <IconPlayerSkipBackFilled size={16} />
            </Tool>
            <Tool label={`${t(STEPS[kind].next)} ( ] )`} onClick={() => onCommand(1)}>
              <IconPlayerSkipForwardFilled size={16} />
            </Tool>
          </>
        ) : null}
        <TimeButton second={real} duration={recording.duration} started={started} />
        {skipIdle && recording.duration - duration >= 1 ? (
          <Tooltip label={t(words.playingTimeHint)}>
            <span className={styles.playing}>({clock(duration)})</span>
          </Tooltip>
        ) : null}
        <span className={styles.seeking} role="status">
          {seeking ? t(words.seeking) : loading ? t(words.loadingRest) : ''}
        </span>
        <span className={styles.gap} />
        <Tooltip label={t(words.skipIdleHint, { seconds: IDLE_LIMIT_SECONDS })}>
          <Switch
            size="xs"
            classNames={{ label: styles.switchLabel }}
            label={t(words.skipIdle)}
            checked={skipIdle}
            onChange={(event) => engine.setSkipIdle(event.currentTarget.checked)}
          />
        </Tooltip>
        <Tool label={t(words.copyMoment)} onClick={() => void copyMoment(real)}>
          <IconLink size={18} />
        </Tool>
        <SpeedMenu speed={speed} onSpeed={(value) => engine.setSpeed(value)} />
        <Tool
          label={t(full ? windowWords.leaveFullScreen : windowWords.fullScreen)}
          onClick={toggleFull}
        >
          {full ? <IconMinimize size={18} /> : <IconMaximize size={18} />}
        </Tool>
      </div>
    </section>
  );
}
