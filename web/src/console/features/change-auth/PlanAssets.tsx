import { Box, Title } from '@mantine/core';
import { asset, changeAuthPlan, type Row } from '@sallyport/contract';
import { useMemo } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { words } from './words.ts';

export type Plan = Row<typeof changeAuthPlan>;

/** Lists all assets of a plan: named ones and those below its nodes. */
export function PlanAssets({
  plan,
  onRemove,
}: {
  readonly plan: Plan;
  readonly onRemove: (id: string) => Promise<unknown>;
}) {
  const source = useMemo(
    () => ({ ...asset, path: `${changeAuthPlan.path}/${plan.id}/assets` }),
    [plan.id],
  );
  return (
    <Box mt="md">
      <Title order={2} fz="md" mb="xs">
        {t(words.allAssets)}
      </Title>
      <ResourceList<Row<typeof asset>>
        // A new key resets the list when the assets or nodes of the plan change.
        key={[...plan.assets, ...plan.nodes].join()}
        source={source}
        embedded
        columns={[
          { name: 'hostname', essential: true },
          { name: 'ip', mono: true },
        ]}
        extraActions={({ id }) => [
          {
            key: 'remove',
            label: t(words.takeOut),
            danger: true,
            ...(!plan.assets.includes(id) && { refusal: t(words.ofNode) }),
            run: () => void onRemove(id).catch(() => undefined),
          },
        ]}
      />
    </Box>
  );
}
