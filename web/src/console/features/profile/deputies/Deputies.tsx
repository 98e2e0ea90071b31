import { Button, Stack, Text, TextInput } from '@mantine/core';
import { DEPUTY_FIELDS } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../../../../kit/api.ts';
import { askFirst } from '../../../../kit/dialogs/confirm.ts';
import { toast } from '../../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../../kit/i18n/index.ts';
import { Card } from '../../../resource/detail/Cards.tsx';
import styles from '../../../resource/detail/Rows.module.css';
import { DateTimeField } from '../../../resource/form/DateTimeField.tsx';
import { LeaveWarning } from '../../../resource/form/LeaveWarning.tsx';
import { DeputiesCard } from './DeputiesCard.tsx';
import { words } from './words.ts';

const OWN_URL = 'tickets/deputy/';
const EMPTY = { deputy: '', date_start: '', date_end: '' };

/** Names a deputy for the own account while away. */
export function Deputies() {
  const client = useQueryClient();
  const [values, setValues] = useState(EMPTY);
  const [errors, setErrors] = useState<Readonly<Record<string, readonly string[]>>>({});
  const dirty = Object.values(values).some(Boolean);
  const refresh = () => client.invalidateQueries({ queryKey: ['deputies', OWN_URL] });
  const set = (name: keyof typeof EMPTY) => (value: string) => {
    setValues((old) => ({ ...old, [name]: value }));
    setErrors(({ [name]: _gone, ...others }) => others);
  };

  async function save() {
    try {
      await api.put(OWN_URL, values, { quiet: true });
    } catch (cause) {
      if (!(cause instanceof ApiError) || !cause.fields) throw cause;
      setErrors(cause.fields);
      return;
    }
    toast.success(t(common.updateSuccess));
    setValues(EMPTY);
    await refresh();
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    void save();
  }
  const end = () =>
    askFirst({
      message: t(words.endQuestion),
      confirm: t(words.end),
      success: t(common.updateSuccess),
      run: async () => {
        await api.delete(OWN_URL);
        await refresh();
      },
    });

  return (
    <div className={styles.narrow}>
      <LeaveWarning dirty={dirty} />
      <DeputiesCard url={OWN_URL} onEnd={end} />
      <Card title={t(words.name)}>
        <form onSubmit={submit} noValidate className={styles.sole}>
          <Stack gap="md">
            <Text fz="sm" c="dimmed">
              {t(words.hint)}
            </Text>
            <TextInput
              label={t(DEPUTY_FIELDS.deputy.label)}
              withAsterisk
              maxLength={128}
              value={values.deputy}
              error={errors.deputy?.join('; ')}
              onChange={(event) => set('deputy')(event.currentTarget.value)}
            />
            <DateTimeField
              label={t(DEPUTY_FIELDS.date_start.label)}
              required
              value={values.date_start}
              error={errors.date_start?.join('; ')}
              onChange={set('date_start')}
            />
            <DateTimeField
              isEnd
              mustEnd
              required
              time="23:59:59"
              label={t(DEPUTY_FIELDS.date_end.label)}
              value={values.date_end}
              error={errors.date_end?.join('; ')}
              onChange={set('date_end')}
            />
            <Button type="submit" ml="auto" disabled={!dirty}>
              {t(common.submit)}
            </Button>
          </Stack>
        </form>
      </Card>
    </div>
  );
}
