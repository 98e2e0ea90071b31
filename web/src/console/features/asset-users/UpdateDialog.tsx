import { Modal, Text } from '@mantine/core';
import { assetUser } from '@sallyport/contract';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { ResourceForm } from '../../resource/form/ResourceForm.tsx';
import { useResourceForm } from '../../resource/form/useResourceForm.ts';
import type { AssetUser } from './SecretDialog.tsx';
import { words } from './words.ts';

const GROUPS = [{ title: words.secret, fields: ['password', 'private_key', 'comment'] }];

/** Stores a new version of an account's secret on its asset. */
export function UpdateDialog({
  account,
  onClose,
}: {
  readonly account: AssetUser;
  readonly onClose: () => void;
}) {
  const form = useResourceForm(assetUser, '', {
    groups: GROUPS,
    toBody: (body) => ({ ...body, asset: account.asset, username: account.username }),
    onSaved: (saved) => {
      toast.success(t(words.updated, { version: (saved as AssetUser).version }));
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t(words.updateTitle)}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <Text fw={600} mb={4}>
        {account.username}@{account.hostname} ({account.ip})
      </Text>
      <Text fz="sm" c="dimmed" mb="md">
        {t(words.updateHint)}
      </Text>
      <ResourceForm form={form} groups={GROUPS} onCancel={onClose} takesFocus />
    </Modal>
  );
}
