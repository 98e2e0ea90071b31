import { useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { FormDialog } from './FormDialog.tsx';
import { PasswordField } from './PasswordField.tsx';
import { words } from './words.ts';

export function ResetPasswordDialog({
  id,
  name,
  onClose,
}: {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string>();

  async function submit() {
    if (!password) {
      setError(t(common.required));
      return;
    }
    try {
      await api.patch(`users/users/${id}/password/`, { password });
      toast.success(t(common.updateSuccess));
      onClose();
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      setError(cause.fields?.password?.join('; ') ?? cause.message);
    }
  }

  return (
    <FormDialog
      title={`${t(words.setPassword)}: ${name}`}
      confirm={t(words.setPassword)}
      onClose={onClose}
      submit={submit}
    >
      {(busy) => (
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
      )}
    </FormDialog>
  );
}
