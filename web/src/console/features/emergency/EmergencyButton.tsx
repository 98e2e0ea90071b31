import { Button } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import { IconBolt } from '../../../kit/icons.ts';
import { useGoButton } from '../../base/navigation.tsx';
import { useCount } from '../../resource/useCount.ts';
import { EMERGENCY_PATH } from './addresses.ts';
import { words } from './words.ts';

/** The assets that the user may open in an emergency. */
export const MINE = {
  name: 'my_emergency_access',
  path: 'perms/users/emergency-access',
  title: words.mayOpen,
  labelField: 'hostname',
  fields: {},
} as const;

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
