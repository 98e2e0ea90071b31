import {
  Alert,
  Box,
  Button,
  Group,
  Progress,
  SegmentedControl,
  Text,
  UnstyledButton,
} from '@mantine/core';
import type { CommandHost, CommandHostState } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconRefresh } from '../../../kit/icons.ts';
import { OutcomeState } from '../../resource/job/OutcomeState.tsx';
import { useStayAtEnd } from '../../resource/job/useStayAtEnd.ts';
import { SaveButtons } from '../../resource/transfer/SaveButtons.tsx';
import styles from './Batch.module.css';
import { CommandStages } from './CommandStages.tsx';
import { EqualOutputs, HostOutput } from './EqualOutputs.tsx';
import { HostState } from './HostState.tsx';
import { type Execution, hostsWith, LIVE_MILLISECONDS, PATH, useHosts } from './useExecution.ts';
import type { Host } from './useHostSelection.ts';
import { words } from './words.ts';

/** Reads the full output of the selected host, and polls while the command runs there. */
function useWhole(id: string, host: CommandHost | undefined): CommandHost | undefined {
  const isRunning = host?.state === 'running';
  const { data } = useQuery({
    queryKey: ['execution-host', id, host?.id, host?.state],
    queryFn: () => api.get<CommandHost>(`${PATH}${id}/hosts/${host?.id}/`),
    enabled: host !== undefined && (host.is_cut || isRunning),
    refetchInterval: isRunning && LIVE_MILLISECONDS,
  });
  // Output that was read during the run can be incomplete.
  return data && data.id === host?.id && data.state === host.state ? data : host;
}

function ByServer({ id, hosts }: { readonly id: string; readonly hosts: readonly CommandHost[] }) {
  const [chosen, setChosen] = useState<string>();
  const panel = useId();
  const selected = hosts.find((host) => host.id === chosen) ?? hosts[0];
  const whole = useWhole(id, selected);
  const end = useStayAtEnd(whole?.state === 'running' ? whole : undefined);
  if (!selected) return null;
  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      Home: -hosts.length,
      End: hosts.length,
    };
    const step = steps[event.key];
    if (step === undefined || !selected) return;
    event.preventDefault();
    const at = Math.min(hosts.length - 1, Math.max(0, hosts.indexOf(selected) + step));
    setChosen(hosts[at]?.id);
    (event.currentTarget.children[at] as HTMLElement | undefined)?.focus();
  }
  return (
    <div className={styles.hosts}>
      <div
        className={styles.names}
        role="tablist"
        aria-orientation="vertical"
        aria-label={t(words.results)}
        onKeyDown={onKeyDown}
      >
        {hosts.map((host) => (
          <UnstyledButton
            key={host.id}
            role="tab"
            id={`${panel}-${host.id}`}
            aria-controls={panel}
            aria-selected={host === selected}
            tabIndex={host === selected ? 0 : -1}
            className={styles.name}
            onClick={() => setChosen(host.id)}
          >
            <span>{host.hostname}</span>
            <HostState host={host} />
          </UnstyledButton>
        ))}
      </div>
      <Box
        component="pre"
        ref={end.ref}
        onScroll={end.onScroll}
        className={styles.output}
        id={panel}
        role="tabpanel"
        aria-labelledby={`${panel}-${selected.id}`}
        tabIndex={0}
      >
        {whole && <HostOutput host={whole} />}
      </Box>
    </div>
  );
}

interface ResultsProps {
  readonly execution: Execution;
  readonly onRunOn: (hosts: readonly Host[], execution: Execution) => void;
}

/** Shows the progress of a batch command, and each host with its status and output. */
export function CommandResults({ execution, onRunOn }: ResultsProps) {
  const [state, setState] = useState<'all' | CommandHostState>('all');
  const [view, setView] = useState<'servers' | 'merged'>('servers');
  const { id, hosts_amount: total, is_finished: isFinished } = execution;
  const { data, hasNextPage, fetchNextPage, isPending } = useHosts(
    id,
    state === 'all' ? undefined : state,
    !isFinished,
  );
  const hosts = data?.pages.flatMap(({ results }) => results) ?? [];
  return (
    <section aria-label={t(words.results)} className={styles.results}>
      <RunProgress execution={execution} />
      {total > 1 && <CommandStages stages={execution.stages ?? []} />}
      {execution.reason && (
        <Alert color="red" role="alert" mb="sm" style={{ overflowWrap: 'anywhere' }}>
          {execution.reason}
        </Alert>
      )}
      <Group gap="xs" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label={t(words.show)}
          value={state}
          onChange={(value) => setState(value as typeof state)}
          data={[
            { value: 'all', label: t(words.all) },
            { value: 'running', label: t(words.running) },
            { value: 'failed', label: t(words.failed) },
            { value: 'succeeded', label: t(words.succeeded) },
            { value: 'canceled', label: t(words.canceled) },
            { value: 'left_out', label: t(words.leftOut) },
          ]}
        />
        <SegmentedControl
          size="xs"
          aria-label={t(words.view)}
          value={view}
          onChange={(value) => setView(value as typeof view)}
          data={[
            { value: 'servers', label: t(words.byServer) },
            { value: 'merged', label: t(words.merged) },
          ]}
        />
        <ResultActions execution={execution} onRunOn={onRunOn} />
      </Group>
      {hosts.length === 0 && (
        <Text size="sm" c="dimmed">
          {t(isPending ? common.loading : words.noneHere)}
        </Text>
      )}
      {view === 'servers' ? (
        <ByServer id={id} hosts={hosts} />
      ) : (
        hosts.length > 0 && <EqualOutputs hosts={hosts} />
      )}
      {hasNextPage && (
        <Button mt="sm" size="xs" variant="default" onClick={() => void fetchNextPage()}>
          {t(words.more)}
        </Button>
      )}
    </section>
  );
}

/** Counts the finished hosts, with a button that cancels the others. */
function RunProgress({ execution }: { readonly execution: Execution }) {
  const { id, hosts_amount: total, done_amount: done, failed_amount: failed } = execution;
  const { canceled_amount: canceled } = execution;
  return (
    <>
      <Group justify="space-between" mb={6}>
        <Text fz="sm" role="status">
          <OutcomeState outcome={execution.outcome} text={execution.state_display} />
          {' · '}
          {t(words.finishedOf, { done, total })}
          {failed > 0 && ` · ${t(words.failedCount, { count: failed })}`}
          {canceled > 0 && ` · ${t(words.canceledCount, { count: canceled })}`}
        </Text>
        {!execution.is_finished && (
          <Button
            size="xs"
            variant="default"
            onClick={() => void api.post(`${PATH}${id}/cancel/`).catch(() => undefined)}
          >
            {t(words.cancel)}
          </Button>
        )}
      </Group>
      <Progress.Root size="md" mb="sm">
        <Progress.Section
          value={((done - failed) / total) * 100}
          color="teal"
          aria-label={t(words.succeeded)}
        />
        <Progress.Section value={(failed / total) * 100} color="red" aria-label={t(words.failed)} />
      </Progress.Root>
    </>
  );
}

/** Downloads the results of a finished run, and runs it again on other hosts. */
function ResultActions({ execution, onRunOn }: ResultsProps) {
  const { id, hosts_amount: total, done_amount: done, failed_amount: failed } = execution;
  const { canceled_amount: canceled } = execution;
  const leftOut = total - done - canceled;
  if (!execution.is_finished) return null;
  const runOn = (which: CommandHostState) =>
    void hostsWith(id, which).then(
      (found) => onRunOn(found, execution),
      () => undefined,
    );
  return (
    <>
      <SaveButtons path={`${PATH}${id}/hosts/`} size="xs" />
      {failed > 0 && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={14} />}
          onClick={() => runOn('failed')}
        >
          {t(words.rerunFailed, { count: failed })}
        </Button>
      )}
      {canceled > 0 && (
        <Button size="xs" variant="default" onClick={() => runOn('canceled')}>
          {t(words.rerunCanceled, { count: canceled })}
        </Button>
      )}
      {leftOut > 0 && (
        <Button size="xs" variant="default" onClick={() => runOn('left_out')}>
          {t(words.runLeftOut, { count: leftOut })}
        </Button>
      )}
    </>
  );
}
