import { Alert, List, Radio, Stack, Text } from '@mantine/core';
import type { LinkedIdentities as Linked, LinkedIdentity } from '@sallyport/contract';
import { useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { FormDialog } from '../../resource/dialog/FormDialog.tsx';
import { PasswordField } from '../../resource/form/PasswordField.tsx';
import { words } from './words.ts';

interface EndIdentityDialogProps {
  readonly identity: LinkedIdentity;
  readonly all: Linked;
  readonly url: string;
  readonly name: string;
  readonly email: string;
  readonly onClose: (ended: boolean) => void;
}

const QUIET = { quiet: true } as const;

/**
 * Confirms ending an identity: shows the consequences, and asks for another way to sign in if this
 * is the last one.
 */
export function EndIdentityDialog({
  identity,
  all,
  url,
  name,
  email,
  onClose,
}: EndIdentityDialogProps) {
  const { source, issuer, is_last_way: isLastWay } = identity;
  const [way, setWay] = useState('link');
  const [password, setPassword] = useState('');
  const [passwordProblem, setPasswordProblem] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const follows = [
    all.sign_ins > 0 && t(words.endsSignIns, { count: all.sign_ins }),
    all.access_keys > 0 && t(words.endsKeys, { count: all.access_keys }),
    all.sessions > 0 && t(words.endsSessions, { count: all.sessions }),
  ].filter((line) => line !== false);
  const setsPassword = isLastWay && way === 'password';

  async function submit() {
    setProblem(undefined);
    setPasswordProblem(undefined);
    if (setsPassword && password === '') {
      setPasswordProblem(t(common.required));
      return;
    }
    try {
      await api.post(
        `${url}end/`,
        { source, issuer, ...(isLastWay && { way }), ...(setsPassword && { password }) },
        QUIET,
      );
      toast.success(t(words.ended));
      onClose(true);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      if (cause.fields?.password) setPasswordProblem(cause.fields.password.join('; '));
      else setProblem(cause.message);
    }
  }

  return (
    <FormDialog
      title={t(words.endTitle, { name })}
      confirm={t(words.end)}
      onClose={() => onClose(false)}
      submit={submit}
    >
      {(busy) => (
        <>
          <List size="sm">
            <List.Item>{t(words.follows, { issuer })}</List.Item>
            {follows.map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
          {isLastWay && (
            <Radio.Group
              value={way}
              onChange={setWay}
              label={<Text fz="sm">{t(words.becomesLocal)}</Text>}
            >
              <Stack gap="xs" mt="xs">
                <Radio value="link" label={t(words.link, { email })} disabled={busy} />
                <Radio
                  value="password"
                  label={t(words.password)}
                  description={t(words.passwordHint)}
                  disabled={busy}
                />
              </Stack>
            </Radio.Group>
          )}
          {setsPassword && (
            <PasswordField
              label={t(words.password)}
              required
              disabled={busy}
              error={passwordProblem}
              value={password}
              onChange={(value) => setPassword(String(value))}
              onBlur={() => undefined}
              autoFocus
            />
          )}
          {problem && (
            <Alert color="red" role="alert">
              {problem}
            </Alert>
          )}
        </>
      )}
    </FormDialog>
  );
}
