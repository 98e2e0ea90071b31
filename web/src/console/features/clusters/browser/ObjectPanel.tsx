import { Box, Drawer, Skeleton, Tabs, Text } from '@mantine/core';
import type { ClusterVisit } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { common, t } from '../../../../kit/i18n/index.ts';
import { useBreakpoints } from '../../useBreakpoints.ts';
import styles from './Browser.module.css';
import { ClusterProblem } from './ClusterProblem.tsx';
import { Containers } from './Containers.tsx';
import { clusterApi, type ObjectPlace } from './cluster-api.ts';
import { PodLog } from './PodLog.tsx';
import { words } from './words.ts';

interface Props {
  readonly visit: ClusterVisit;
  readonly place: ObjectPlace;
  readonly onReconnect: () => void;
  readonly onClose: () => void;
}

/** One object: its YAML, and the containers and logs of a pod. */
export function ObjectPanel({ visit, place, onReconnect, onClose }: Props) {
  const { phone } = useBreakpoints();
  const isPod = place.kind === 'pods';
  const [tab, setTab] = useState<string | null>(isPod ? 'containers' : 'yaml');
  const [container, setContainer] = useState<string>();
  const object = useQuery({
    queryKey: ['cluster-object', visit.id, place],
    queryFn: ({ signal }) => clusterApi.object(visit.id, place, signal),
    retry: false,
    refetchOnWindowFocus: false,
  });
  const { data } = object;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={phone ? '100%' : 'xl'}
      title={`${place.namespace}/${place.name}`}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      {object.error && (
        <ClusterProblem
          error={object.error}
          onRetry={() => void object.refetch()}
          onReconnect={onReconnect}
        />
      )}
      {object.isPending && <Skeleton height={200} />}
      {data && (
        <Tabs value={tab} onChange={setTab} keepMounted={false}>
          <Tabs.List mb="sm">
            {isPod && <Tabs.Tab value="containers">{t(words.containers)}</Tabs.Tab>}
            {isPod && (
              <Tabs.Tab value="log" disabled={data.no_log !== null} title={data.no_log ?? ''}>
                {t(words.log)}
              </Tabs.Tab>
            )}
            <Tabs.Tab value="yaml">{t(words.yaml)}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="containers">
            <Containers
              visit={visit}
              place={place}
              pod={data}
              onLog={(name) => {
                setContainer(name);
                setTab('log');
              }}
            />
          </Tabs.Panel>
          <Tabs.Panel value="log">
            <PodLog
              visit={visit}
              place={place}
              containers={data.containers}
              first={container}
              onReconnect={onReconnect}
            />
          </Tabs.Panel>
          <Tabs.Panel value="yaml">
            {place.kind === 'secrets' && (
              <Text fz="sm" c="dimmed" mb="xs">
                {t(words.masked)}
              </Text>
            )}
            <Box
              component="pre"
              className={styles.yaml}
              role="region"
              aria-label={t(words.yaml)}
              tabIndex={0}
            >
              {data.yaml}
            </Box>
          </Tabs.Panel>
        </Tabs>
      )}
    </Drawer>
  );
}
