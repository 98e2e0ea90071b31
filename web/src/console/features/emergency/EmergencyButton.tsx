import { Button } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import { IconBolt } from '../../../kit/icons.ts';
import { EMERGENCY_PATH } from '../../base/addresses.ts';
import { useGoButton } from '../../base/navigation.tsx';
import { useCount } from '../home/useCount.ts';
import { MINE } from './source.ts';
import { words } from './words.ts';

/** Links to emergency access, for users who may open it. */
export function EmergencyButton() {
  const goButton = useGoButton();
  if (!useCount(MINE)) return null;
  return (
    <Button
      variant="light"
      color="red"
      leftSection={<IconBolt size={16} />}
      {...goButton(EMERGENCY_PATH)}
    >
      {t(words.mayOpen)}
    </Button>
  );
}
