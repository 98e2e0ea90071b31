import { Badge, useComputedColorScheme } from '@mantine/core';
import { type CSSProperties, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { paletteOf } from '../../kit/page/palettes.ts';
import type { Recording } from '../../kit/recording/recording.ts';
import { FittedScreen } from '../view/fitted-screen.ts';
import frame from '../view/TerminalWindow.module.css';
import { useFullScreen } from '../workspace/useFullScreen.ts';
import commandStyles from './CommandList.module.css';
import { CommandList } from './CommandList.tsx';
import { Controls } from './Controls.tsx';
import styles from './Replay.module.css';
import { ReplayEngine } from './replay-engine.ts';
import { useListed } from './useListed.ts';
import { type CommandRow, useCommands } from './useReplay.ts';
import { useReplayKeys } from './useReplayKeys.ts';
import { words } from './words.ts';

const NO_COMMANDS: readonly CommandRow[] = [];
interface Props {
  readonly session: string;
  /** Start position in seconds of the session. */
  readonly at: number;
  readonly recording: Recording;
  /** Bytes of the recording that have loaded. */
  readonly bytes: number;
  /** Start of the session, for showing the time of day. */
  readonly started: Date | undefined;
  readonly sideOpen: boolean;
  readonly onShowSide: () => void;
}

/** Plays a terminal recording: the picture, the list of commands and the controls. */
export function ReplayPlayer({
  session,
  at,
  recording,
  bytes,
  started,
  sideOpen,
  onShowSide,
}: Props) {
  const scheme = useComputedColorScheme('dark', { getInitialValueInEffect: false });
  const [, toggleFull] = useFullScreen();
  const { data: commands = NO_COMMANDS, isError, refetch } = useCommands(session);
  const host = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const [parts, setParts] = useState<{
    readonly screen: FittedScreen;
    readonly engine: ReplayEngine<string>;
  } | null>(null);

  useEffect(() => {
    if (!host.current) return;
    const screen = new FittedScreen(paletteOf('dark'), recording);
    screen.mount(host.current);
    const engine = new ReplayEngine<string>(recording, {
      reset: (cols, rows) => screen.reset(cols, rows),
      resize: (cols, rows) => screen.resize(cols, rows),
      write: (pieces, done) => screen.write(pieces.join(''), done),
    });
    setParts({ screen, engine });
    if (at > 0) engine.seekToSecond(at);
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) engine.play();
    return () => {
      engine.end();
      screen.dispose();
    };
  }, [recording, at]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the engine grows with the bytes
  useEffect(() => parts?.engine.grow(), [parts, bytes]);
  useEffect(() => parts?.screen.setPalette(paletteOf(scheme)), [parts, scheme]);

  return (
    <div className={styles.player}>
      <main className={styles.main}>
        <div
          className={styles.stage}
          style={{ '--terminal-ground': paletteOf(scheme).background } as CSSProperties}
        >
          <div ref={host} className={`${frame.screen} ${styles.screen}`} />
        </div>
        {parts ? (
          <Moving
            engine={parts.engine}
            recording={recording}
            started={started}
            commands={commands}
            failed={isError}
            sideOpen={sideOpen}
            search={search}
            onRetry={() => void refetch()}
            onShowSide={onShowSide}
            onFull={toggleFull}
          />
        ) : (
          // Keep the space of the list, so that its late arrival does not shift the layout.
          <>
            <div className={styles.controls} />
            {sideOpen ? <div className={commandStyles.side} /> : null}
          </>
        )}
      </main>
    </div>
  );
}

interface MovingProps {
  readonly engine: ReplayEngine<string>;
  readonly recording: Recording;
  readonly started: Date | undefined;
  readonly commands: readonly CommandRow[];
  readonly failed: boolean;
  readonly sideOpen: boolean;
  readonly search: React.RefObject<HTMLInputElement | null>;
  readonly onRetry: () => void;
  readonly onShowSide: () => void;
  readonly onFull: () => void;
}

/** The parts that render again with every change of the position. */
function Moving({
  engine,
  recording,
  started,
  commands,
  failed,
  sideOpen,
  search,
  onRetry,
  onShowSide,
  onFull,
}: MovingProps) {
  const { position } = useSyncExternalStore(engine.subscribe, engine.snapshot);
  const { marks, current, jump, step } = useListed(engine, commands);
  const typist = recording.typists.findLast(({ at }) => engine.timeline.toShown(at) <= position);
  useReplayKeys(engine, {
    command: step,
    full: onFull,
    search() {
      onShowSide();
      requestAnimationFrame(() => search.current?.focus());
    },
  });
  return (
    <>
      {typist ? (
        <Badge className={styles.typist}>{t(words.types, { name: typist.name })}</Badge>
      ) : null}
      <Controls
        engine={engine}
        recording={recording}
        started={started}
        marks={marks}
        onCommand={step}
      />
      {sideOpen ? (
        <CommandList
          commands={commands}
          failed={failed}
          current={current}
          searchRef={search}
          onJump={jump}
          onRetry={onRetry}
        />
      ) : null}
    </>
  );
}
