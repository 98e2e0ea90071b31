import { Alert, Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { accessKey, MOBILE_BREAKPOINT, type Row } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../../kit/api.ts';
import { askToDelete } from '../../../../kit/dialogs/confirm.ts';
import { toast } from '../../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconPlus } from '../../../../kit/icons.ts';
import { CopyButton } from '../../../../kit/identity/CopyButton.tsx';
import { failureText } from '../../../../kit/identity/failure.ts';
import { useSession } from '../../../base/session.tsx';
import styles from '../../../resource/detail/Rows.module.css';
import { ResourceList } from '../../../resource/list/ResourceList.tsx';
import { cacheKey, listUrl, objectUrl } from '../../../resource/source.ts';
import { useConfirmed } from '../../mfa/index.ts';
import { words } from '../words.ts';

type AccessKey = Row<typeof accessKey>;

const QUIET = { quiet: true } as const;

const DAY = 86_400_000;

/** Lifetimes of a new key in days. */
const DAYS = [30, 90, 365];

function Told({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div className={styles.row}>
      <Text fz="sm" c="dimmed" w={140}>
        {label}
      </Text>
      <span className={`mono ${styles.what}`}>{value}</span>
      <CopyButton text={value} label={label} />
    </div>
  );
}

/**
 * Creates, enables, disables and deletes own access keys. The secret of a new key is visible once.
 */
export function AccessKeys() {
  const client = useQueryClient();
  const [made, setMade] = useState<AccessKey>();
  const { confirmed, question } = useConfirmed();
  const refresh = () => client.invalidateQueries({ queryKey: cacheKey(accessKey) });

  /** Runs a change; an error shows the quoted text (conformance 8.17). */
  async function change(run: () => Promise<unknown>) {
    try {
      await run();
      toast.success(t(common.updateSuccess));
    } catch (cause) {
      toast.error(t(common.updateFailed), failureText(cause));
    }
    await refresh();
  }

  const create = (body: NewKeyBody, onCreated: () => void) =>
    confirmed(async (password) => {
      setMade(
        await api.post<AccessKey>(
          listUrl(accessKey),
          { ...body, ...(password && { password }) },
          QUIET,
        ),
      );
      onCreated();
      toast.success(t(common.updateSuccess));
      await refresh();
    });

  return (
    <Stack gap="md">
      <Text fz="sm" c="dimmed">
        {t(words.accessKeyHint)}
      </Text>
      {made && <NewKey created={made} onDone={() => setMade(undefined)} />}
      <ResourceList<AccessKey>
        source={accessKey}
        embedded
        toolbar={<KeyForm onCreate={create} />}
        columns={[
          { name: 'id', mono: true },
          { name: 'name' },
          { name: 'is_active', width: 160 },
          { name: 'date_created' },
          { name: 'date_expired' },
          { name: 'date_last_used', label: words.dateUsed },
          { name: 'remote_addr', mono: true },
        ]}
        extraActions={(row) => [
          {
            key: 'toggle',
            label: t(row.is_active ? words.turnOff : words.turnOn),
            run: () =>
              void change(() =>
                api.patch(objectUrl(accessKey, row.id), { is_active: !row.is_active }, QUIET),
              ),
          },
          {
            key: 'delete',
            label: t(common.delete),
            danger: true,
            run: () =>
              askToDelete(row.id, async () => {
                await api.delete(objectUrl(accessKey, row.id), QUIET);
                setMade((now) => (now?.id === row.id ? undefined : now));
                await refresh();
              }),
          },
        ]}
      />
      {question}
    </Stack>
  );
}

interface NewKeyBody {
  readonly name: string;
  readonly date_expired: string | null;
}

function NewKey({ created, onDone }: { readonly created: AccessKey; readonly onDone: () => void }) {
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle size={18} />}
      title={t(words.newAccessKey)}
      role="status"
    >
      {t(words.secretOnce)}
      <Told label={t(accessKey.fields.id.label)} value={created.id} />
      <Told label={t(accessKey.fields.secret.label)} value={String(created.secret ?? '')} />
      <Group justify="flex-end" mt="xs">
        <Button size="xs" onClick={onDone}>
          {t(words.done)}
        </Button>
      </Group>
    </Alert>
  );
}

/** Returns the lifetimes in days that the policy allows. The policy 0 has no limit. */
function lifetimes(most: number): readonly number[] {
  const allowed = DAYS.filter((count) => most === 0 || count <= most);
  return most > 0 && !allowed.includes(most) ? [...allowed, most] : allowed;
}

/** Name and lifetime of a new key. */
function KeyForm({
  onCreate,
}: {
  readonly onCreate: (body: NewKeyBody, onCreated: () => void) => Promise<unknown>;
}) {
  const most = useSession().settings.SECURITY_ACCESS_KEY_MAX_DAYS;
  const [name, setName] = useState('');
  const [days, setDays] = useState(() => (most === 0 ? '' : String(most)));
  const create = () => {
    const date_expired = days ? new Date(Date.now() + Number(days) * DAY).toISOString() : null;
    return onCreate({ name: name.trim(), date_expired }, () => setName(''));
  };
  return (
    <Group gap="xs">
      <Button leftSection={<IconPlus size={16} />} onClick={() => void create()}>
        {t(common.create)}
      </Button>
      <TextInput
        aria-label={t(words.keyName)}
        placeholder={t(words.keyName)}
        maxLength={128}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        aria-label={t(accessKey.fields.date_expired.label)}
        value={days}
        data={[
          ...(most === 0 ? [{ value: '', label: t(words.keyNoEnd) }] : []),
          ...lifetimes(most).map((count) => ({
            value: String(count),
            label: t(words.keyDays, { count }),
          })),
        ]}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
    </Group>
  );
}

/**
 * The dialog of the account menu (conformance 9.15: 60 % wide, 3vh from the top; full width if 60 %
 * would be too narrow).
 */
export function AccessKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const narrow = useMediaQuery(`(max-width: ${MOBILE_BREAKPOINT - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.accessKeys)}
      size={narrow ? '100%' : '60vw'}
      yOffset="3vh"
      fullScreen={narrow}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <AccessKeys />
    </Modal>
  );
}
