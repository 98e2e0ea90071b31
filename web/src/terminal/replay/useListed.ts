import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { countUntil } from '../../kit/recording/playable.ts';
import type { ListedCommand } from './CommandList.tsx';
import type { ReplayEngine } from './replay-engine.ts';
import type { SeekMark } from './SeekBar.tsx';

/** Seek this many seconds before a command, to show the prompt it was typed at. */
const LEAD_SECONDS = 0.5;
/** Within this many seconds after a command, "previous" goes to the command before it. */
const AGAIN_SECONDS = 2;

/**
 * Returns the commands as marks on the time line, the current one, and functions that seek to them.
 */
export function useListed<Piece extends { readonly length: number }>(
  engine: ReplayEngine<Piece>,
  list: readonly ListedCommand[],
) {
  const { position, skipIdle, duration } = useSyncExternalStore(engine.subscribe, engine.snapshot);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the engine has another timeline when idle time is skipped or not, and when more has loaded
  const marks = useMemo<readonly SeekMark[]>(
    () =>
      list.map(({ id, input, offset_seconds }) => ({
        id,
        label: input,
        at: Math.max(0, engine.timeline.toShown(offset_seconds)),
      })),
    [engine, list, skipIdle, duration],
  );
  const times = useMemo(() => marks.map(({ at }) => at), [marks]);
  const index = countUntil(times, position + LEAD_SECONDS) - 1;
  const jumpTo = useCallback((at: number) => engine.seek(at - LEAD_SECONDS), [engine]);
  const jump = useCallback(
    ({ offset_seconds }: ListedCommand) => engine.seekToSecond(offset_seconds, LEAD_SECONDS),
    [engine],
  );
  const step = (by: 1 | -1) => {
    const here = times[index];
    const repeated = here !== undefined && position - here > AGAIN_SECONDS;
    const target = times[by === 1 || !repeated ? index + by : index];
    if (target !== undefined) jumpTo(target);
    else if (by === -1) engine.seek(0);
  };
  return { marks, current: marks[index]?.id ?? null, jump, step };
}
