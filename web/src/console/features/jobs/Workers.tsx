import { Badge, Table, Text } from '@mantine/core';
import { job, type TaskMonitor as Monitor } from '@sallyport/contract';
import { useIsFetching, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { cacheKey } from '../../resource/source.ts';
import styles from './Workers.module.css';
import { words } from './words.ts';

const EVERY_MILLISECONDS = 5_000;

const secondsOf = (seconds: number | null) =>
  seconds === null
    ? ''
    : `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds).toLocaleString()} s`;

/** Names a server by host. Servers on one host also show the folder at the end of their id. */
function nameOf({ id, host }: Monitor['servers'][number], servers: Monitor['servers']): string {
  const isAlone = servers.filter((one) => one.host === host).length === 1;
  return isAlone ? host : `${host} · ${id.split('/').at(-1)}`;
}

/** A table of this many columns fits a phone. */
const NARROW = 4;

interface PartProps {
  readonly title: string;
  readonly columns: readonly string[];
  readonly empty: string;
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
}

function Part({ title, columns, rows, empty }: PartProps) {
  return (
    <section className={styles.part} aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={columns.length > NARROW ? 680 : 300}>
          <Table striped verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                {columns.map((column) => (
                  <Table.Th key={column} style={{ whiteSpace: 'nowrap' }}>
                    {column}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ key, cells }) => (
                <Table.Tr key={key}>
                  {cells.map((cell, index) => (
                    <Table.Td key={columns[index]}>{cell}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </section>
  );
}

/** Shows operators the servers that process jobs, and the queues of the last day. */
export function Workers() {
  const { data } = useQuery({
    queryKey: ['task-monitor'],
    queryFn: () => api.get<Monitor>('ops/task-monitor/'),
    refetchInterval: EVERY_MILLISECONDS,
  });
  // Below a list that still loads, the parts would move.
  const isListLoading =
    useIsFetching({
      queryKey: [...cacheKey(job), 'list'],
      predicate: ({ state }) => state.data === undefined,
    }) > 0;
  if (!data || isListLoading) return null;
  return (
    <>
      <Part
        title={t(words.servers)}
        empty={t(words.none)}
        columns={[t(words.server), t(words.state), t(words.since), t(words.seen)]}
        rows={data.servers.map((server) => ({
          key: server.id,
          cells: [
            <span key="name" title={server.id}>
              {nameOf(server, data.servers)}
            </span>,
            <Badge
              key="state"
              miw="max-content"
              variant="light"
              color={server.is_alive ? (server.is_stopping ? 'yellow' : 'teal') : 'red'}
            >
              {t(
                server.is_alive ? (server.is_stopping ? words.stopping : words.alive) : words.lost,
              )}
            </Badge>,
            <Moment key="started" date={server.date_started} />,
            <Moment key="seen" date={server.date_seen} />,
          ],
        }))}
      />
      <Part
        title={t(words.queues)}
        empty={t(words.none)}
        columns={[
          t(words.kind),
          t(words.running),
          t(words.waiting),
          t(words.succeeded),
          t(words.failed),
          t(words.canceled),
          t(words.average),
          t(words.longest),
          t(words.workers),
        ]}
        rows={data.queues.map((queue) => ({
          key: queue.name,
          cells: [
            queue.title,
            queue.running,
            queue.waiting,
            queue.succeeded,
            queue.failed,
            queue.canceled,
            secondsOf(queue.average_seconds),
            secondsOf(queue.longest_seconds),
            queue.workers,
          ],
        }))}
      />
    </>
  );
}
