import type { command, Row } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../kit/api.ts';
import { loadRecording, type Recording, RecordingError } from '../../kit/recording/recording.ts';
import { replayInfo, takeDownload } from './begin-replay.ts';

export type CommandRow = Row<typeof command>;

/** Reads the type and the address of a session's recording. */
export function useReplayInfo(session: string) {
  return useQuery(replayInfo(session));
}

/** Reads the commands of a session in order. */
export function useCommands(session: string) {
  return useQuery({
    queryKey: ['session-commands', session],
    queryFn: async ({ signal }) => {
      const commands = await api.get<readonly CommandRow[]>('terminal/commands/', {
        query: { session },
        signal,
        quiet: true,
      });
      return commands.toSorted((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0));
    },
  });
}

export type RecordingState =
  | { readonly phase: 'loading'; readonly bytes: number }
  /** It can be played; `bytes` grows while the rest loads. */
  | { readonly phase: 'ready'; readonly recording: Recording; readonly bytes: number }
  | { readonly phase: 'failed'; readonly reason: RecordingError['reason'] | 'network' };

/** Bytes from which a recording plays while the rest loads: several screens. */
const PLAYABLE = 32 * 1024;
/** A recording above this many bytes gets key frames. */
const LONG = 4 * 1024 * 1024;
/** Bytes from which they are drawn while the rest loads: the first picture comes before them. */
const FRAMES_FROM = 32 * 1024 * 1024;
/** A recording that loads reports its bytes this often. */
const REST_MS = 500;

/** Draws the key frames of a long recording. */
async function drawKeyFrames(recording: Recording, signal: AbortSignal): Promise<void> {
  const [{ addKeyFrames }, { createTerminal }] = await Promise.all([
    import('../../kit/recording/key-frames.ts'),
    import('../../kit/terminal-emulator/create-terminal.ts'),
  ]);
  const { cols, rows } = recording;
  const terminal = createTerminal({ cols: Math.max(2, cols), rows, scrollback: 300 });
  await addKeyFrames(recording, terminal, signal).finally(() => terminal.dispose());
}

/** Loads a recording, once per address and attempt. */
export function useRecording(address: string | undefined, attempt: number): RecordingState {
  const [state, setState] = useState<RecordingState>({ phase: 'loading', bytes: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try at the same address is another reading
  useEffect(() => {
    if (address === undefined) return;
    const stop = new AbortController();
    let bytes = 0;
    let hasKeyFrames = false;
    const beginKeyFrames = (recording: Recording) => {
      if (hasKeyFrames) return;
      hasKeyFrames = true;
      void drawKeyFrames(recording, stop.signal);
    };
    let reported = Number.NEGATIVE_INFINITY;
    setState({ phase: 'loading', bytes: 0 });
    loadRecording(takeDownload(address, stop.signal), (loaded, recording) => {
      bytes = loaded;
      if (recording && bytes > FRAMES_FROM) beginKeyFrames(recording);
      const now = performance.now();
      if (bytes < PLAYABLE || now - reported < REST_MS) return;
      reported = now;
      setState(
        recording && recording.events.length > 0
          ? { phase: 'ready', recording, bytes }
          : { phase: 'loading', bytes },
      );
    }).then(
      (recording) => {
        if (bytes > LONG) beginKeyFrames(recording);
        setState(
          recording.events.length > 0
            ? { phase: 'ready', recording, bytes }
            : { phase: 'failed', reason: 'empty' },
        );
      },
      (error: unknown) => {
        if (!stop.signal.aborted)
          setState({
            phase: 'failed',
            reason: error instanceof RecordingError ? error.reason : 'network',
          });
      },
    );
    return () => stop.abort();
  }, [address, attempt]);
  return state;
}
