import { Alert, Anchor, Button, Checkbox, Group, PasswordInput, TextInput } from '@mantine/core';
import { adminUser, asset, assetPermission, systemUser } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../../../kit/api.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { openWindow, terminalAddress } from '../../../base/addresses.ts';
import { useSession } from '../../../base/session.tsx';
import { SecretField } from '../../../resource/form/SecretField.tsx';
import { cacheKey } from '../../../resource/source.ts';
import styles from './First.module.css';
import { createFirstServer, type FirstServer, type FirstServerField } from './first-server.ts';
import { words } from './words.ts';

const { private_key: key } = systemUser.fields;

const EMPTY: FirstServer = {
  ip: '',
  port: '22',
  hostname: '',
  username: '',
  password: '',
  private_key: '',
  keepsAdmin: false,
};

/** The values of the form, their problems, and how to save them. */
function useFirstServer() {
  const client = useQueryClient();
  const { profile } = useSession();
  const [form, setForm] = useState(EMPTY);
  const [problem, setProblem] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  const lacksSecret = form.password === '' && form.private_key === '';

  async function save(event: FormEvent) {
    event.preventDefault();
    if (lacksSecret) {
      const fields = { password: [t(words.noSecret)] };
      setProblem(new ApiError(400, 'invalid', '', { fields }));
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      const ready = await createFirstServer(form, profile);
      openWindow(terminalAddress(ready.asset, ready.account));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
      // The steps below count the new objects, and lead to the server if the browser blocked the
      // window.
      for (const source of [asset, systemUser, adminUser, assetPermission])
        void client.invalidateQueries({ queryKey: cacheKey(source) });
    }
  }

  return {
    form,
    busy,
    problem,
    save,
    change: (part: Partial<FirstServer>) => setForm((before) => ({ ...before, ...part })),
  };
}

/** Asks for a server and its account, grants both to the caller, and opens a terminal. */
export function FirstServerForm({ onOneByOne }: { readonly onOneByOne: () => void }) {
  const { form, busy, problem, save, change } = useFirstServer();
  const input = (name: Exclude<FirstServerField, 'private_key'>) => ({
    label: t(words[name]),
    value: form[name],
    error: problem?.fields?.[name]?.join('; '),
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      change({ [name]: event.currentTarget.value }),
    autoComplete: 'off',
  });
  return (
    <form onSubmit={(event) => void save(event)}>
      <div className={styles.fields}>
        <TextInput {...input('ip')} placeholder="10.20.30.41" required maxLength={128} />
        <TextInput {...input('port')} required inputMode="numeric" maxLength={5} />
        <TextInput {...input('hostname')} placeholder={t(words.nameHint)} maxLength={128} />
        <TextInput {...input('username')} placeholder="root" required maxLength={32} />
        <PasswordInput
          {...input('password')}
          placeholder={t(words.passwordHint)}
          autoComplete="new-password"
          maxLength={512}
        />
        <SecretField
          name="private_key"
          field={key}
          label={t(key.label)}
          required={false}
          disabled={false}
          updating={false}
          onBlur={() => undefined}
          value={form.private_key}
          error={problem?.fields?.private_key?.join('; ')}
          onChange={(value) => change({ private_key: String(value) })}
        />
      </div>
      <Checkbox
        mt="md"
        label={t(words.keepAsAdmin)}
        description={t(words.keepAsAdminHint)}
        checked={form.keepsAdmin}
        onChange={(event) => change({ keepsAdmin: event.currentTarget.checked })}
      />
      {problem && !problem.fields && (
        <Alert color="red" role="alert" mt="md">
          {problem.message}
        </Alert>
      )}
      <Group mt="md">
        <Button type="submit" loading={busy}>
          {t(words.saveAndConnect)}
        </Button>
        <Anchor component="button" type="button" fz="sm" onClick={onOneByOne}>
          {t(words.oneByOne)}
        </Anchor>
      </Group>
    </form>
  );
}
