import { Button, Stack, TextInput } from '@mantine/core';
import { type Profile, user } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { PROFILE_KEY, PROFILE_URL } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Rows.module.css';
import { DateTimeField } from '../../resource/form/DateTimeField.tsx';
import { LeaveWarning } from '../../resource/form/LeaveWarning.tsx';
import { useConfirmed } from '../mfa/index.ts';
import { words } from './words.ts';

const { fields } = user;
type Values = Partial<Record<Profile['own_changes'][number], string>>;

/**
 * Changes the own name, mail address and expiry as the policy allows, after the password or a
 * second factor.
 */
export function IdentityForm({ profile }: { readonly profile: Profile }) {
  const client = useQueryClient();
  const { confirmed, question } = useConfirmed();
  const [edited, setEdited] = useState<Values>({});
  const [errors, setErrors] = useState<Readonly<Record<string, readonly string[]>>>({});
  const may = (name: keyof Values) => profile.own_changes.includes(name);
  const currentValue = (name: keyof Values) => edited[name] ?? profile[name] ?? '';
  const set = (name: keyof Values, value: string) => {
    setEdited((old) => ({ ...old, [name]: value }));
    setErrors(({ [name]: _gone, ...others }) => others);
  };
  const dirty = Object.entries(edited).some(
    ([name, value]) => value !== (profile[name as keyof Values] ?? ''),
  );

  async function save(password?: string) {
    const { date_expired: end, ...texts } = edited;
    try {
      const saved = await api.patch<Profile>(
        PROFILE_URL,
        { ...texts, ...(end !== undefined && { date_expired: end || null }), password },
        { quiet: true },
      );
      client.setQueryData(PROFILE_KEY, saved);
    } catch (cause) {
      if (!(cause instanceof ApiError) || !cause.fields || 'password' in cause.fields) throw cause;
      setErrors(cause.fields);
      return;
    }
    toast.success(t(common.updateSuccess));
    setEdited({});
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    setErrors({});
    void confirmed(save);
  }

  const input = (name: 'name' | 'email', type: string) => (
    <TextInput
      label={t(fields[name].label)}
      withAsterisk={may(name)}
      disabled={!may(name)}
      description={may(name) ? undefined : t(words.fromDirectory)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      type={type}
      maxLength={128}
      value={currentValue(name)}
      error={errors[name]?.join('; ')}
      onChange={(event) => set(name, event.currentTarget.value)}
    />
  );

  return (
    <div className={styles.narrow}>
      <LeaveWarning dirty={dirty} />
      <Card title={t(words.identity)}>
        <form onSubmit={submit} noValidate className={styles.sole}>
          <Stack gap="md">
            {input('name', 'text')}
            {input('email', 'email')}
            <DateTimeField
              isEnd
              time="23:59:59"
              label={t(fields.date_expired.label)}
              description={
                may('date_expired')
                  ? undefined
                  : t(profile.role === 'Admin' ? words.neverExpires : words.expiryByOthers)
              }
              disabled={!may('date_expired')}
              value={currentValue('date_expired')}
              error={errors.date_expired?.join('; ')}
              onChange={(value) => set('date_expired', value)}
            />
            <Button type="submit" ml="auto" disabled={!dirty}>
              {t(common.submit)}
            </Button>
          </Stack>
        </form>
      </Card>
      {question}
    </div>
  );
}
