import { Button, Group, Modal, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { toast } from '../../../kit/toast.tsx';
import { PasswordField } from './PasswordField.tsx';
import { words } from './words.ts';

/** Gives somebody a new password. */
export function ResetPasswordDialog({ id, name, onClose }: { readonly id: string; readonly name: string; readonly onClose: () => void }) {
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    if (!password) {
      setError(t(common.required));
      return;
    }
    setBusy(true);
    try {
      await api.patch(`users/users/${id}/password/`, { password });
      toast.success(t(common.updateSuccess));
      onClose();
    } catch (cause) {
      if (cause instanceof ApiError) setError(cause.fields?.password?.join('; ') ?? cause.message);
      setBusy(false);
    }
  }

  return (
    <Modal opened onClose={onClose} title={`${t(words.setPassword)}: ${name}`} closeButtonProps={{ 'aria-label': t(common.close) }}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <PasswordField
            label={t(words.newPassword)}
            help={t(words.resetHint)}
            required
            disabled={busy}
            error={error}
            value={password}
            onChange={(value) => setPassword(String(value))}
            onBlur={() => undefined}
            autoFocus
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={busy}>
              {t(common.cancel)}
            </Button>
            <Button type="submit" loading={busy}>
              {t(common.confirm)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
