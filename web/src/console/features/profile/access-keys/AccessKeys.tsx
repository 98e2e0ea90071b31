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
import { ResourceList } from '../../../resource/list/ResourceList.tsx';
import { cacheKey, listUrl, objectUrl } from '../../../resource/source.ts';
import { useConfirmed } from '../mfa/useConfirmed.tsx';
import styles from '../Profile.module.css';
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
  const [name, setName] = useState('');
  const { settings } = useSession();
  const { confirmed, question } = useConfirmed();
  const most = settings.SECURITY_ACCESS_KEY_MAX_DAYS;
  const choices = DAYS.filter((count) => most === 0 || count <= most);
  if (most > 0 && !choices.includes(most)) choices.push(most);
  const [days, setDays] = useState(() => (most === 0 ? '' : String(most)));
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

  const create = () =>
    confirmed(async (password) => {
      const date_expired = days ? new Date(Date.now() + Number(days) * DAY).toISOString() : null;
      setMade(
        await api.post<AccessKey>(
          listUrl(accessKey),
          { name: name.trim(), date_expired, ...(password && { password }) },
          QUIET,
        ),
      );
      setName('');
      toast.success(t(common.updateSuccess));
      await refresh();
    });

  return (
    <Stack gap="md">
      <Text fz="sm" c="dimmed">
        {t(words.accessKeyHint)}
      </Text>
      {made && (
        <Alert
          color="yellow"
          icon={<IconAlertTriangle size={18} />}
          title={t(words.newAccessKey)}
          role="status"
        >
          {t(words.secretOnce)}
          <Told label={t(accessKey.fields.id.label)} value={made.id} />
          <Told label={t(accessKey.fields.secret.label)} value={String(made.secret ?? '')} />
          <Group justify="flex-end" mt="xs">
            <Button size="xs" onClick={() => setMade(undefined)}>
              {t(words.done)}
            </Button>
          </Group>
        </Alert>
      )}
      <ResourceList<AccessKey>
        source={accessKey}
        embedded
        toolbar={
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
                ...choices.map((count) => ({
                  value: String(count),
                  label: t(words.keyDays, { count }),
                })),
              ]}
              onChange={(event) => setDays(event.currentTarget.value)}
            />
          </Group>
        }
        columns={[
          { name: 'id', mono: true },
          { name: 'name' },
          { name: 'is_active', width: 96 },
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
