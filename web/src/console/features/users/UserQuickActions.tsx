import type { Row, user } from '@sallyport/contract';
import { useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { useGo } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { type QuickAction, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import type { ResourceDetailModel } from '../../resource/detail/useResourceDetail.ts';
import { FormDialog } from '../../resource/dialog/FormDialog.tsx';
import { PasswordField } from '../../resource/form/PasswordField.tsx';
import { OffboardDialog } from './offboard/OffboardDialog.tsx';
import { words } from './words.ts';

function ResetPasswordDialog({
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

type User = Row<typeof user>;
const QUIET = { quiet: true } as const;

interface UserQuickActionsProps {
  readonly object: User;
  readonly detail: ResourceDetailModel<User>;
}

/** Actions of an administrator on an account, outside of its form. */
export function UserQuickActions({ object, detail }: UserQuickActionsProps) {
  const go = useGo();
  const [dialog, setDialog] = useState<Dialog>();
  const actions = actionsOn({ object, detail }, setDialog);
  return (
    <>
      <QuickActionsCard actions={actions} />
      {dialog === 'offboarding' && (
        <OffboardDialog
          id={object.id}
          name={object.name}
          onClose={(removed) => {
            setDialog(undefined);
            void (removed ? go(pagesOf('user').list) : detail.refresh());
          }}
        />
      )}
      {dialog === 'password' && (
        <ResetPasswordDialog
          id={object.id}
          name={object.name}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}

type Dialog = 'offboarding' | 'password';

function actionsOn(
  { object, detail }: UserQuickActionsProps,
  open: (dialog: Dialog) => void,
): readonly QuickAction[] {
  /** Disables an action, with the reason: the policy refuses it, or it would have no effect. */
  const unless = (change: string, reason?: string | false) => {
    const hint = object.refusals[change] ?? (reason || undefined);
    return { disabled: hint !== undefined, ...(hint !== undefined && { hint }) };
  };
  const passwordElsewhere = object.source !== 'local' && t(words.passwordElsewhere);
  const url = `users/users/${object.id}/`;

  /** Asks for confirmation, runs the action, and reloads the account. */
  const ask = (message: string, confirm: string, success: string, run: () => Promise<unknown>) =>
    askFirst({
      message,
      confirm,
      danger: true,
      success,
      run: async () => {
        await run();
        await detail.refresh();
      },
    });

  return [
    {
      key: 'active',
      title: t(words.activate),
      checked: object.is_active,
      ...unless('is_active'),
      toggle: (on) => detail.activate(`${object.name}(${object.username})`, on),
    },
    {
      key: 'offboard',
      title: t(words.offboardTitle),
      button: t(words.offboard),
      danger: true,
      ...unless(object.refusals.is_active === undefined ? 'is_active' : 'remove'),
      run: () => open('offboarding'),
    },
    {
      key: 'mfa',
      title: t(words.resetMfa),
      button: t(words.reset),
      ...unless('factors', !object.mfa_enabled && t(words.mfaOff)),
      run: () =>
        ask(t(words.resetMfaQuestion), t(words.reset), t(common.updateSuccess), () =>
          api.post(`${url}otp/reset/`, {}, QUIET),
        ),
    },
    {
      key: 'link',
      title: t(words.resetPassword),
      button: t(words.send),
      ...unless('password', passwordElsewhere),
      run: () =>
        ask(t(words.resetPasswordQuestion), t(words.send), t(words.sent), () =>
          api.patch(`${url}password/reset/`, {}, QUIET),
        ),
    },
    {
      key: 'password',
      title: t(words.setPassword),
      button: t(words.set),
      ...unless('password', passwordElsewhere),
      run: () => open('password'),
    },
    {
      key: 'key',
      title: t(words.resetKey),
      button: t(words.send),
      ...unless('public_key'),
      run: () =>
        ask(t(words.resetKeyQuestion), t(words.send), t(words.sent), () =>
          api.patch(`${url}pubkey/reset/`, {}, QUIET),
        ),
    },
    {
      key: 'unblock',
      title: t(words.unblockLogin),
      button: t(words.unblock),
      ...unless('unblock', !object.login_blocked && t(words.notBlocked)),
      run: async () => {
        await api.patch(`${url}unblock/`);
        await detail.refresh();
        toast.success(t(common.updateSuccess));
      },
    },
  ];
}
