import { Alert, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { type GrantedSystemUser, protocolOf } from '@sallyport/contract';
import { useRef } from 'react';
import { sizeText } from '../../kit/format/size.ts';
import { t } from '../../kit/i18n/index.ts';
import { type LocalFiles, readChosen } from '../files/dropped-files.ts';
import { shownName } from '../files/entries.ts';
import type { TabAsset } from '../tabs/tabs-state.ts';
import styles from './UploadDialog.module.css';
import { UploadForm } from './UploadForm.tsx';
import { words } from './words.ts';

/** Maximum number of listed files. */
const SHOWN = 100;

interface Props {
  readonly asset: TabAsset;
  /** The account of the terminal; none before it is chosen. */
  readonly account: GrantedSystemUser | null;
  /** Dropped or chosen files: null before a choice, `reading` while the browser reads them. */
  readonly local: LocalFiles | 'reading' | null;
  readonly onChoose: (local: LocalFiles) => void;
  readonly onClose: () => void;
}

function FileRows({ local }: { readonly local: LocalFiles }) {
  const { files } = local;
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  return (
    <div>
      <ul className={styles.files} aria-label={t(words.files)}>
        {files.slice(0, SHOWN).map(({ path, file }) => (
          <li key={path}>
            <span className={styles.name} title={shownName(path)}>
              {shownName(path)}
            </span>
            <span className={styles.size}>{sizeText(file.size)}</span>
          </li>
        ))}
        {files.length > SHOWN ? <li>{t(words.more, { count: files.length - SHOWN })}</li> : null}
      </ul>
      <Text size="xs" c="dimmed" mt={4}>
        {t(words.total, { count: files.length, size: sizeText(size) })}
      </Text>
    </div>
  );
}

/** Asks for the destination of local files before the upload starts. */
export function UploadDialog({ asset, account, local, onChoose, onClose }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const isFiles = protocolOf(account?.protocol ?? '')?.name === 'ssh';
  const isEmpty =
    local === null ||
    (local !== 'reading' && local.files.length === 0 && local.folders.length === 0);
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.title, { name: asset.hostname })}
      size="min(520px, 96vw)"
    >
      {!account || !isFiles ? (
        <Alert color="yellow" role="alert">
          {t(account ? words.telnet : words.noAccount)}
        </Alert>
      ) : (
        <Stack gap="md">
          {local === 'reading' ? (
            <Group gap="xs" role="status">
              <Loader size={16} />
              <Text size="sm">{t(words.reading)}</Text>
            </Group>
          ) : isEmpty ? (
            <Text size="sm" c="dimmed">
              {t(words.orDrop)}
            </Text>
          ) : (
            <FileRows local={local} />
          )}
          <Button
            variant="default"
            size="xs"
            w="fit-content"
            data-autofocus={isEmpty || undefined}
            onClick={() => input.current?.click()}
          >
            {t(isEmpty ? words.choose : words.chooseOthers)}
          </Button>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            aria-label={t(words.choose)}
            onChange={({ currentTarget }) => {
              if (currentTarget.files && currentTarget.files.length > 0)
                onChoose(readChosen(currentTarget.files));
              // Reset the input: the user may choose the same file again.
              currentTarget.value = '';
            }}
          />
          <UploadForm
            asset={asset}
            account={account}
            local={local === 'reading' || isEmpty ? null : local}
            onClose={onClose}
          />
        </Stack>
      )}
    </Modal>
  );
}
