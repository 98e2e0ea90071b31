import { Button, Group } from '@mantine/core';
import { allows, Permission } from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useSession } from '../../base/session.tsx';
import { EvidenceButton } from '../evidence/index.ts';
import { VerificationBadge, WitnessBadge } from './VerificationBadge.tsx';
import { words } from './words.ts';

const VerifyDialog = lazyComponent(() =>
  import('./VerifyDialog.tsx').then((module) => module.VerifyDialog),
);

/**
 * Shows the last verification, starts a new one, and exports evidence. Only for roles above
 * organizations, because the chains span all of them.
 */
export function VerifyButton() {
  const { role } = useSession();
  const [open, setOpen] = useState(false);
  if (!allows(role.current, Permission.SUPER | Permission.AUDIT)) return null;
  return (
    <>
      <VerificationBadge />
      <WitnessBadge />
      <Group gap="xs" ml="auto">
        <EvidenceButton />
        <Button
          variant="default"
          leftSection={<IconShieldCheck size={16} />}
          onClick={() => setOpen(true)}
        >
          {t(words.verify)}
        </Button>
      </Group>
      {open && <VerifyDialog onClose={() => setOpen(false)} />}
    </>
  );
}
