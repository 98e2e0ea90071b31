import { Button, Modal, Text } from '@mantine/core';
import { useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { words } from './words.ts';

const AccessCheckForm = lazyComponent(() =>
  import('./AccessCheckCard.tsx').then((module) => module.AccessCheckForm),
);

/** A button that opens the access check for any user and asset. */
export function TryAccess() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconShieldCheck size={16} />}
        onClick={() => setOpen(true)}
      >
        {t(words.tryIt)}
      </Button>
      {isOpen && (
        <Modal
          opened
          onClose={() => setOpen(false)}
          size="lg"
          title={t(words.tryTitle)}
          closeButtonProps={{ 'aria-label': t(common.close) }}
        >
          <Text fz="sm" c="dimmed" mb="md">
            {t(words.tryHint)}
          </Text>
          <AccessCheckForm about={{}} />
        </Modal>
      )}
    </>
  );
}
