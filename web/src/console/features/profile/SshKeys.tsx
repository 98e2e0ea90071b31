import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type GeneratedKey, type Row, sshKey } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { saveText } from '../../../kit/download.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconDownload, IconPlus } from '../../../kit/icons.ts';
import { PROFILE_KEY } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Rows.module.css';
import { LeaveWarning } from '../../resource/form/LeaveWarning.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { End } from '../../resource/list/table/State.tsx';
import { cacheKey, listUrl } from '../../resource/source.ts';
import { type Change, useConfirmed } from '../mfa/index.ts';
import { words } from './words.ts';

type SshKey = Row<typeof sshKey>;

const DAY = 86_400_000;
/** Lifetimes of a new key in days. */
const DAYS = [30, 90, 365];
const QUERIES = [cacheKey(sshKey), PROFILE_KEY];

/**
 * Asks, then lets the server create a key pair, and saves the private key in the browser. The
 * server shows the private key only once.
 */
export function useNewPair(confirmed: (run: Change) => Promise<void>): () => void {
  const client = useQueryClient();
  async function create(password?: string) {
    const { private_key: text, filename } = await api.post<GeneratedKey>(
      'users/profile/public-key/generate/',
      { password },
      { quiet: true },
    );
    saveText(filename, text);
    toast.success(t(common.updateSuccess));
    await Promise.all(QUERIES.map((queryKey) => client.invalidateQueries({ queryKey })));
  }
  return () =>
    askFirst({
      message: t(words.newPairQuestion),
      confirm: t(words.newPair),
      danger: true,
      run: () => confirmed(create),
    });
}

/** Lists, adds and deletes the own SSH keys. */
export function SshKeys() {
  const { confirmed, question } = useConfirmed();
  const newPair = useNewPair(confirmed);
  return (
    <Stack gap="md">
      <Text fz="sm" c="dimmed">
        {t(words.sshKeysHint)}
      </Text>
      <ResourceList<SshKey>
        source={sshKey}
        embedded
        hasSearch={false}
        hasDelete
        toolbar={
          <Button variant="default" leftSection={<IconDownload size={16} />} onClick={newPair}>
            {t(words.newPair)}
          </Button>
        }
        columns={[
          { name: 'name' },
          { name: 'type', mono: true, width: 220 },
          { name: 'fingerprint', mono: true },
          { name: 'date_created' },
          { name: 'date_expired', cell: ({ date_expired: date }) => <End date={date} /> },
          { name: 'date_last_used', label: words.dateUsed },
          { name: 'remote_addr', mono: true },
        ]}
      />
      <div className={styles.narrow}>
        <AddKey confirmed={confirmed} />
      </div>
      {question}
    </Stack>
  );
}

const NOTHING = { name: '', public_key: '', days: '' };

function AddKey({ confirmed }: { readonly confirmed: (run: Change) => Promise<void> }) {
  const client = useQueryClient();
  const [values, setValues] = useState(NOTHING);
  const [problems, setProblems] = useState<Partial<Record<'name' | 'public_key', string>>>({});
  const change = (changed: Partial<typeof NOTHING>) => {
    setValues((now) => ({ ...now, ...changed }));
    setProblems({});
  };

  async function add(password?: string) {
    const { name, public_key, days } = values;
    const date_expired = days ? new Date(Date.now() + Number(days) * DAY).toISOString() : null;
    const body = { name: name.trim(), public_key, date_expired, ...(password && { password }) };
    try {
      await api.post(listUrl(sshKey), body, { quiet: true });
    } catch (cause) {
      const { name: badName, public_key: badKey } =
        (cause instanceof ApiError && cause.fields) || {};
      if (!badName && !badKey) throw cause;
      setProblems({
        ...(badName && { name: badName.join('; ') }),
        ...(badKey && { public_key: badKey.join('; ') }),
      });
      return;
    }
    setValues(NOTHING);
    toast.success(t(common.updateSuccess));
    await Promise.all(QUERIES.map((queryKey) => client.invalidateQueries({ queryKey })));
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    const missing = {
      ...(!values.name.trim() && { name: t(common.required) }),
      ...(!values.public_key.trim() && { public_key: t(common.required) }),
    };
    setProblems(missing);
    if (Object.keys(missing).length === 0) void confirmed(add);
  }

  return (
    <Card title={t(words.addSshKey)}>
      <LeaveWarning dirty={values !== NOTHING} />
      <form onSubmit={submit} noValidate className={styles.sole}>
        <Stack gap="md">
          <TextInput
            label={t(sshKey.fields.name.label)}
            description={t(words.sshKeyName)}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            withAsterisk
            maxLength={sshKey.fields.name.max}
            value={values.name}
            error={problems.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <Textarea
            label={t(words.publicKey)}
            description={t(words.publicKeyHint)}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            withAsterisk
            rows={4}
            maxLength={sshKey.fields.public_key.max}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            value={values.public_key}
            error={problems.public_key}
            onChange={(event) => change({ public_key: event.currentTarget.value })}
          />
          <NativeSelect
            label={t(sshKey.fields.date_expired.label)}
            value={values.days}
            data={[
              { value: '', label: t(words.keyNoEnd) },
              ...DAYS.map((count) => ({
                value: String(count),
                label: t(words.keyDays, { count }),
              })),
            ]}
            onChange={(event) => change({ days: event.currentTarget.value })}
          />
          <Group justify="flex-end">
            <Button type="submit" leftSection={<IconPlus size={16} />}>
              {t(words.addSshKey)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
