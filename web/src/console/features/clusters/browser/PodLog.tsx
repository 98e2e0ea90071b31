import { Box, Group, NativeSelect, Stack, Switch, Text } from '@mantine/core';
import { CLUSTER_LOG_LINES, type ClusterVisit, type PodContainer } from '@sallyport/contract';
import { useEffect, useState } from 'react';
import { common, t } from '../../../../kit/i18n/index.ts';
import { useStayAtEnd } from '../../../resource/job/useStayAtEnd.ts';
import styles from './Browser.module.css';
import { ClusterProblem } from './ClusterProblem.tsx';
import { type LogWish, type ObjectPlace, readLog } from './cluster-api.ts';
import { words } from './words.ts';

interface Props {
  readonly visit: ClusterVisit;
  readonly place: ObjectPlace;
  readonly containers: readonly PodContainer[];
  /** The container to begin with. */
  readonly first: string | undefined;
  readonly onReconnect: () => void;
}

interface LogState {
  readonly text: string;
  readonly isOver: boolean;
  readonly error: Error | undefined;
}

const NOTHING: LogState = { text: '', isOver: false, error: undefined };

/** Reads a log again after each change of the wish. */
function useLog(visit: string, wish: LogWish): LogState & { readonly retry: () => void } {
  const [state, setState] = useState(NOTHING);
  const [attempt, setAttempt] = useState(0);
  const { namespace, pod, container, lines, previous, follow } = wish;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry reads the same log again
  useEffect(() => {
    const left = new AbortController();
    const set = (part: Partial<LogState>) =>
      left.signal.aborted || setState((before) => ({ ...before, ...part }));
    setState(NOTHING);
    readLog(
      visit,
      { namespace, pod, container, lines, previous, follow },
      (text) => set({ text }),
      left.signal,
    ).then(
      () => set({ isOver: true }),
      (error: unknown) =>
        set({ isOver: true, error: error instanceof Error ? error : new Error(String(error)) }),
    );
    return () => left.abort();
  }, [visit, namespace, pod, container, lines, previous, follow, attempt]);
  return { ...state, retry: () => setAttempt(attempt + 1) };
}

/** The log of a container, followed while it runs. */
export function PodLog({ visit, place, containers, first, onReconnect }: Props) {
  const [container, setContainer] = useState(first ?? containers[0]?.name ?? '');
  const [lines, setLines] = useState<number>(CLUSTER_LOG_LINES[0]);
  const [previous, setPrevious] = useState(false);
  const [follow, setFollow] = useState(false);
  const { namespace, name: pod } = place;
  const log = useLog(visit.id, {
    namespace,
    pod,
    container,
    lines,
    previous,
    follow: follow && !previous,
  });
  const end = useStayAtEnd(log.text);
  return (
    <Stack gap="sm">
      <Group align="end">
        <NativeSelect
          label={t(words.container)}
          data={containers.map(({ name }) => name)}
          value={container}
          onChange={({ currentTarget }) => setContainer(currentTarget.value)}
        />
        <NativeSelect
          aria-label={t(words.log)}
          data={CLUSTER_LOG_LINES.map((count) => ({
            value: String(count),
            label: t(words.lines, { count }),
          }))}
          value={String(lines)}
          onChange={({ currentTarget }) => setLines(Number(currentTarget.value))}
        />
        <Switch
          label={t(words.follow)}
          checked={follow && !previous}
          disabled={previous}
          onChange={({ currentTarget }) => setFollow(currentTarget.checked)}
        />
        <Switch
          label={t(words.previous)}
          checked={previous}
          onChange={({ currentTarget }) => setPrevious(currentTarget.checked)}
        />
      </Group>
      {log.error && (
        <ClusterProblem error={log.error} onRetry={log.retry} onReconnect={onReconnect} />
      )}
      <Box
        ref={end.ref}
        onScroll={end.onScroll}
        className={styles.log}
        role="log"
        aria-label={t(words.logOf, { name: container })}
        tabIndex={0}
      >
        {log.text || (log.isOver ? t(words.emptyLog) : t(common.loading))}
      </Box>
      {log.isOver && !log.error && follow && !previous && (
        <Text fz="sm" c="dimmed" role="status">
          {t(words.logEnded)}
        </Text>
      )}
    </Stack>
  );
}
