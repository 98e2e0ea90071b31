import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import {
  type DesktopPiece,
  type DesktopRecording,
  loadDesktopRecording,
} from '../../../kit/desktop-recording/desktop-recording.ts';
import { loadRecordedPictures } from '../../../kit/desktop-recording/load-recorded-pictures.ts';
import type { RecordedPictureMaker } from '../../../kit/desktop-recording/recorded-picture.ts';
import { words } from '../../../kit/desktop-recording/words.ts';
import { t } from '../../../kit/i18n/index.ts';
import { RecordingError } from '../../../kit/recording/recording.ts';
import { CommandList } from '../../replay/CommandList.tsx';
import { Controls } from '../../replay/Controls.tsx';
import styles from '../../replay/Replay.module.css';
import { ReplayEngine } from '../../replay/replay-engine.ts';
import { useListed } from '../../replay/useListed.ts';
import { useReplayKeys } from '../../replay/useReplayKeys.ts';
import { useFullScreen } from '../../workspace/useFullScreen.ts';
import own from '../Desktop.module.css';
import { ReplayedDesktop } from './replayed-desktop.ts';
import { Thumbnails } from './thumbnails.ts';
import { typedTexts } from './typed-texts.ts';

/** A small picture of the desktop near a second. Reserves its space before the picture loads. */
function Thumbnail({
  thumbnails,
  second,
}: {
  readonly thumbnails: Thumbnails;
  readonly second: number;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(
    () =>
      thumbnails.want(second, (picture) => {
        canvas.current?.getContext('2d')?.drawImage(picture, 0, 0);
        if (canvas.current) canvas.current.dataset.second = String(second);
      }),
    [thumbnails, second],
  );
  return (
    <canvas
      ref={canvas}
      className={own.thumbnail}
      width={thumbnails.width}
      height={thumbnails.height}
    />
  );
}

/** Reason for which a recording cannot be played. */
export type ReplayFailure = RecordingError['reason'] | 'network';

interface Props {
  readonly src: string;
  /** Second of the session at which playback begins. */
  readonly at: number;
  readonly started: Date | undefined;
  readonly waiting: (bytes: number) => ReactNode;
  readonly failed: (reason: ReplayFailure, retry: () => void) => ReactNode;
  /** The list of keys, if the recording has keys. */
  readonly side: Side;
}

interface Side {
  readonly isOpen: boolean;
  readonly onShow: () => void;
  /** The recording has keys. */
  readonly onKeys: () => void;
}

const reasonOf = (error: unknown): ReplayFailure =>
  error instanceof RecordingError ? error.reason : 'network';

/** Plays a recorded desktop: its picture, and the controls below. */
export function DesktopReplay({ src, at, started, waiting, failed, side }: Props) {
  const [attempt, setAttempt] = useState(0);
  const [bytes, setBytes] = useState(0);
  const [loaded, setLoaded] = useState<{
    readonly recording: DesktopRecording;
    readonly make: RecordedPictureMaker;
  } | null>(null);
  const [failure, setFailure] = useState<ReplayFailure | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try at the same address is another reading
  useEffect(() => {
    const stop = new AbortController();
    setFailure(null);
    loadDesktopRecording(src, stop.signal, setBytes)
      .then(async (recording) =>
        setLoaded({ recording, make: await loadRecordedPictures(recording.facts.protocol) }),
      )
      .catch((error: unknown) => {
        if (!stop.signal.aborted) setFailure(reasonOf(error));
      });
    return () => stop.abort();
  }, [src, attempt]);
  const hasKeys = loaded?.recording.keys !== undefined;
  const { onKeys } = side;
  useEffect(() => {
    if (hasKeys) onKeys();
  }, [hasKeys, onKeys]);
  if (failure) return failed(failure, () => setAttempt(attempt + 1));
  if (!loaded) return waiting(bytes);
  return (
    <Player
      {...loaded}
      at={at}
      started={started}
      side={side}
      onDamaged={() => setFailure('format')}
    />
  );
}

interface PlayerProps {
  readonly recording: DesktopRecording;
  readonly make: RecordedPictureMaker;
  readonly at: number;
  readonly started: Date | undefined;
  readonly side: Side;
  readonly onDamaged: () => void;
}

function Player({ recording, make, at, started, side, onDamaged }: PlayerProps) {
  const place = useRef<HTMLDivElement>(null);
  const damaged = useRef(onDamaged);
  const [parts, setParts] = useState<PlayerParts | null>(null);
  useEffect(() => {
    if (!place.current) return;
    const screen = new ReplayedDesktop(place.current, recording, {
      make,
      markClass: own.pointer ?? '',
      failed: () => damaged.current(),
    });
    const engine = new ReplayEngine<DesktopPiece>(recording, screen);
    const thumbnails = new Thumbnails(recording, make, () => engine.snapshot().seeking);
    setParts({ engine, thumbnails });
    if (at > 0) engine.seek(engine.timeline.toShown(at));
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) engine.play();
    return () => {
      engine.end();
      screen.end();
      thumbnails.end();
    };
  }, [recording, make, at]);
  return (
    <div className={styles.player}>
      <main className={styles.main}>
        <div className={styles.stage}>
          <div
            ref={place}
            className={own.picture}
            role="img"
            aria-label={t(words.pictureOf, { name: recording.facts.name })}
          />
        </div>
        {parts ? (
          <Moving {...parts} recording={recording} started={started} side={side} />
        ) : (
          <div className={styles.controls} />
        )}
      </main>
    </div>
  );
}

interface PlayerParts {
  readonly engine: ReplayEngine<DesktopPiece>;
  readonly thumbnails: Thumbnails;
}

interface MovingProps extends PlayerParts {
  readonly recording: DesktopRecording;
  readonly started: Date | undefined;
  readonly side: Side;
}

/** The controls and keys of the player, next to the recorded keys of the session. */
function Moving({ engine, thumbnails, recording, started, side }: MovingProps) {
  const [, toggleFull] = useFullScreen();
  const search = useRef<HTMLInputElement>(null);
  const texts = useMemo(() => typedTexts(recording.keys ?? []), [recording]);
  const { marks, current, jump, step } = useListed(engine, texts);
  useReplayKeys(engine, {
    full: toggleFull,
    ...(recording.keys && {
      command: step,
      search() {
        side.onShow();
        requestAnimationFrame(() => search.current?.focus());
      },
    }),
  });
  const preview = useCallback(
    (second: number) => <Thumbnail thumbnails={thumbnails} second={second} />,
    [thumbnails],
  );
  return (
    <>
      <Controls
        kind="keys"
        engine={engine}
        recording={recording}
        started={started}
        marks={marks}
        onCommand={step}
        preview={preview}
      />
      {recording.keys && side.isOpen ? (
        <CommandList
          kind="keys"
          commands={texts}
          failed={false}
          current={current}
          searchRef={search}
          onJump={jump}
          onRetry={() => undefined}
        />
      ) : null}
    </>
  );
}
