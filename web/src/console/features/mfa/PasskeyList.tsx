import { Badge, Button, Text } from '@mantine/core';
import type { Passkey } from '@sallyport/contract';
import { useState } from 'react';
import { askToDelete } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { formatDate } from '../../../kit/format/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconFingerprint, IconPencil, IconPlus, IconTrash } from '../../../kit/icons.ts';
import { passkeyObstacle } from '../../../kit/identity/passkey/passkey.ts';
import { words as passkey } from '../../../kit/identity/passkey/words.ts';
import { ToolButton } from '../../../kit/page/ToolButton.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Rows.module.css';
import { mfaApi } from './mfa-api.ts';
import { PasskeyDialog } from './PasskeyDialog.tsx';
import type { MfaModel } from './useMfa.tsx';
import { words } from './words.ts';

/** Adds, renames and removes own passkeys. */
export function PasskeyList({ mfa }: { readonly mfa: MfaModel }) {
  const [renaming, setRenaming] = useState<Passkey>();
  const obstacle = passkeyObstacle();
  const usable = obstacle === undefined;

  const remove = (passkey: Passkey) =>
    void mfa.confirmed(async () =>
      askToDelete(passkey.name, async () => {
        await mfaApi.removePasskey(passkey.id);
        await mfa.refresh();
      }),
    );
  const add = () =>
    void mfa.confirmed(async (password) =>
      mfa.setDialog({ kind: 'passkey', options: await mfaApi.beginPasskey(password) }),
    );

  return (
    <Card title={t(words.passkeys)} icon={<IconFingerprint size={16} />}>
      <div className={styles.row}>
        <Text fz="sm" c="dimmed" flex={1}>
          {t(obstacle ? passkey[obstacle] : words.passkeysHint)}
        </Text>
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconPlus size={14} />}
          disabled={!usable}
          onClick={add}
        >
          {t(words.addPasskey)}
        </Button>
      </div>
      {mfa.passkeys.length === 0 && (
        <div className={styles.row}>
          <Text fz="sm" c="dimmed">
            {t(words.noPasskeys)}
          </Text>
        </div>
      )}
      {mfa.passkeys.map((passkey) => (
        <div key={passkey.id} className={styles.row}>
          <div className={styles.what}>
            <Text fw={500} component="span">
              {passkey.name}
            </Text>{' '}
            {passkey.synced && (
              <Badge size="sm" variant="light" color="gray">
                {t(words.synced)}
              </Badge>
            )}
            <Text fz="xs" c="dimmed">
              {`${t(words.created, { date: formatDate(passkey.date_created) })} · ${passkey.date_last_used ? t(words.used, { date: formatDate(passkey.date_last_used) }) : t(words.neverUsed)}`}
            </Text>
          </div>
          <ToolButton
            label={`${t(words.rename)} ${passkey.name}`}
            tip={t(words.rename)}
            onClick={() => setRenaming(passkey)}
          >
            <IconPencil size={16} />
          </ToolButton>
          <ToolButton
            label={`${t(common.delete)} ${passkey.name}`}
            tip={t(common.delete)}
            color="red"
            onClick={() => remove(passkey)}
          >
            <IconTrash size={16} />
          </ToolButton>
        </div>
      ))}
      {renaming && (
        <PasskeyDialog
          title={t(words.renamePasskey)}
          name={renaming.name}
          submit={t(words.rename)}
          onClose={() => setRenaming(undefined)}
          onSubmit={async (name) => {
            await mfaApi.renamePasskey(renaming.id, name);
            await mfa.refresh();
            setRenaming(undefined);
            toast.success(t(common.updateSuccess));
          }}
        />
      )}
    </Card>
  );
}
