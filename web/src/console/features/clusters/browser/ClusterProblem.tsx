import { Button, Group, Text } from '@mantine/core';
import { ApiError } from '../../../../kit/api.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { words } from './words.ts';

interface Props {
  readonly error: Error;
  readonly onRetry: () => void;
  readonly onReconnect: () => void;
}

/** An error of the cluster. If the visit has ended, the user can connect again. */
export function ClusterProblem({ error, onRetry, onReconnect }: Props) {
  const isOver = error instanceof ApiError && error.code === 'cluster_visit';
  return (
    <Group role="alert" align="center">
      <Text fz="sm" c="var(--mantine-color-error)" style={{ overflowWrap: 'anywhere' }}>
        {error.message}
      </Text>
      <Button size="compact-sm" variant="default" onClick={isOver ? onReconnect : onRetry}>
        {t(isOver ? words.reconnect : words.refresh)}
      </Button>
    </Group>
  );
}
