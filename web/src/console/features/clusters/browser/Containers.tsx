import { Badge, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import {
  type ClusterObject,
  type ClusterVisit,
  POD_SHELLS,
  type PodContainer,
} from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../../../kit/i18n/index.ts';
import type { ObjectPlace } from './cluster-api.ts';
import { words } from './words.ts';

interface Props {
  readonly visit: ClusterVisit;
  readonly place: ObjectPlace;
  readonly pod: ClusterObject;
  readonly onLog: (container: string) => void;
}

const KIND = { container: words.container, init: words.init, ephemeral: words.ephemeral };

/** Address of a terminal in a container. */
const terminalAddress = (
  { cluster, system_user }: ClusterVisit,
  { namespace, name }: ObjectPlace,
  container: string,
  shell: string,
) =>
  `/luna/?${new URLSearchParams({
    type: 'cluster',
    login_to: cluster,
    account: system_user,
    namespace,
    pod: name,
    container,
    shell,
  })}`;

/** The containers of a pod with their states, logs and terminals. */
export function Containers({ visit, place, pod, onLog }: Props) {
  const [shell, setShell] = useState<string>(POD_SHELLS[0]);
  const reasonOf = (container: PodContainer) =>
    pod.no_terminal ?? (container.is_running ? undefined : t(words.notRunning));
  return (
    <Stack gap="md">
      {pod.no_terminal === null ? (
        <NativeSelect
          label={t(words.shell)}
          w={140}
          data={[...POD_SHELLS]}
          value={shell}
          onChange={({ currentTarget }) => setShell(currentTarget.value)}
        />
      ) : (
        <Text fz="sm" c="dimmed">
          {pod.no_terminal}
        </Text>
      )}
      {pod.containers.map((container) => {
        const { name, kind, image, state, is_running, restarts } = container;
        const reason = reasonOf(container);
        return (
          <Stack key={name} gap={6} component="section" aria-label={name}>
            <Group gap="xs">
              <Text ff="monospace" fw={600}>
                {name}
              </Text>
              <Badge variant="light" miw="max-content" color={is_running ? 'teal' : 'yellow'}>
                {state || t(words.notRunning)}
              </Badge>
              <Text fz="sm" c="dimmed">
                {t(KIND[kind])} · {t(words.restarts, { count: restarts })}
              </Text>
            </Group>
            <Text fz="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {image}
            </Text>
            <Group gap="xs">
              <Button
                size="compact-sm"
                variant="light"
                aria-label={t(words.terminalIn, { name })}
                {...(reason === undefined
                  ? {
                      component: 'a' as const,
                      href: terminalAddress(visit, place, name, shell),
                      target: '_blank',
                    }
                  : { disabled: true, title: reason })}
              >
                {t(words.terminal)}
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                disabled={pod.no_log !== null}
                title={pod.no_log ?? undefined}
                aria-label={t(words.logOf, { name })}
                onClick={() => onLog(name)}
              >
                {t(words.log)}
              </Button>
            </Group>
          </Stack>
        );
      })}
    </Stack>
  );
}
