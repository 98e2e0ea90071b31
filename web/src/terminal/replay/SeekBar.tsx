import {
  type CSSProperties,
  memo,
  type PointerEvent,
  type ReactNode,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { clock } from '../../kit/format/format.ts';
import { t } from '../../kit/i18n/index.ts';
import { countUntil, type Playable } from '../../kit/recording/playable.ts';
import styles from './Replay.module.css';
import type { ReplayEngine } from './replay-engine.ts';
import { activity } from './timeline.ts';
import { words } from './words.ts';

const SLICES = 180;

const HEIGHT = 28;

const Bars = memo(function Bars({ heights }: { readonly heights: readonly number[] }) {
  return (
    <svg
      className={styles.bars}
      viewBox={`0 0 ${SLICES} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {heights.map((height, index) => {
        const tall = height === 0 ? 1 : 3 + height * (HEIGHT - 3);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the slices never change their order
            key={index}
            x={index + 0.12}
            width={0.76}
            y={HEIGHT - tall}
            height={tall}
            rx={0.3}
          />
        );
      })}
    </svg>
  );
});

export interface SeekMark {
  readonly id: string;
  readonly label: string;
  /** Seconds of playing time. */
  readonly at: number;
}

interface Props {
  readonly engine: ReplayEngine;
  readonly recording: Playable<{ readonly length: number }>;
  readonly marks: readonly SeekMark[];
  /** Renders a preview of the session for the second below the pointer. */
  readonly preview?: ((second: number) => ReactNode) | undefined;
}

/** The seek bar: activity of the session, marks of commands, and the current position. */
export function SeekBar({ engine, recording, marks, preview }: Props) {
  const { position, duration, skipIdle } = useSyncExternalStore(engine.subscribe, engine.snapshot);
  const [hover, setHover] = useState<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the engine has another timeline when idle time is skipped or not
  const heights = useMemo(
    () => activity(engine.timeline.shown, recording.lengths, duration, SLICES),
    [engine, recording, duration, skipIdle],
  );
  const times = useMemo(() => marks.map(({ at }) => at), [marks]);
  const share = (moment: number) => `${duration > 0 ? (moment / duration) * 100 : 0}%`;
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setHover(Math.min(Math.max((event.clientX - left) / width, 0), 1) * duration);
  };
  const near = hover === null ? undefined : marks[countUntil(times, hover) - 1];
  return (
    <div
      className={styles.seek}
      onPointerMove={onPointerMove}
      onPointerLeave={() => setHover(null)}
    >
      <Bars heights={heights} />
      <div
        className={styles.played}
        style={{ clipPath: `inset(0 calc(100% - ${share(position)}) 0 0)` }}
      >
        <Bars heights={heights} />
      </div>
      {marks.map(({ id, at }) => (
        <span key={id} className={styles.seekMark} style={{ left: share(at) }} />
      ))}
      <span className={styles.playhead} style={{ left: share(position) }} />
      <input
        type="range"
        className={styles.range}
        min={0}
        max={duration}
        step={0.1}
        value={position}
        aria-label={t(words.position)}
        aria-valuetext={t(words.positionOf, {
          position: clock(engine.timeline.toReal(position)),
          duration: clock(recording.duration),
        })}
        onChange={(event) => engine.seek(Number(event.currentTarget.value))}
      />
      {hover !== null ? (
        <div
          className={styles.tip}
          data-pictured={preview !== undefined || undefined}
          style={{ '--moment': share(hover) } as CSSProperties}
          aria-hidden="true"
        >
          {preview?.(engine.timeline.toReal(hover))}
          <b>{clock(engine.timeline.toReal(hover))}</b>
          {near ? <code>{near.label}</code> : null}
        </div>
      ) : null}
    </div>
  );
}
