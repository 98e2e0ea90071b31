import { Alert, Button, Group, Loader, NativeSelect, TextInput } from '@mantine/core';
import type { FilesOpened, GrantedSystemUser } from '@sallyport/contract';
import { type FormEvent, useEffect, useId, useState, useSyncExternalStore } from 'react';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import type { LocalFiles } from '../files/dropped-files.ts';
import { pathIn, shownName } from '../files/entries.ts';
import { FileManager, type FilesSnapshot } from '../files/file-manager.ts';
import { PhaseCard } from '../files/PhaseCard.tsx';
import type { ConflictAnswer } from '../files/upload-items.ts';
import { uploadInto, uploads } from '../files/uploads.ts';
import { words as fileWords } from '../files/words.ts';
import { accountLabel } from '../tabs/accounts.ts';
import type { TabAsset } from '../tabs/tabs-state.ts';
import { words } from './words.ts';

/** Maximum number of folders suggested for a typed path. */
const MOST_FOLDERS = 200;

const TYPING_MILLISECONDS = 350;

/** The last destination folder per place, as the default of the next upload. */
const lastFolders = new Map<string, string>();

interface Props {
  readonly asset: TabAsset;
  readonly account: GrantedSystemUser;
  readonly local: LocalFiles | null;
  readonly onClose: () => void;
}

/** Normalizes a typed path: absolute, without a trailing slash. */
function folderOf(typed: string): string {
  const names = typed.split('/').filter((name) => name !== '');
  return `/${names.join('/')}`;
}

/** Returns the top-level names of the upload that already exist in the folder. */
function takenNames({ items }: FilesSnapshot, { files, folders }: LocalFiles): string[] {
  const topLevelNames = new Set(
    files.filter(({ path }) => !path.includes('/')).map(({ path }) => path),
  );
  for (const folder of folders) if (!folder.includes('/')) topLevelNames.add(folder);
  return items.flatMap(({ name }) => (topLevelNames.has(name) ? [name] : []));
}

/** Asks for the folder and the conflict rule, once the file connection is open. */
export function UploadForm({ asset, account, local, onClose }: Props) {
  const place = { asset: asset.id, account: account.id };
  const [manager] = useState(() => new FileManager(place));
  const state = useSyncExternalStore(manager.subscribe, manager.snapshot);
  const [typed, setTyped] = useState(() => lastFolders.get(`${asset.id} ${account.id}`) ?? '/');
  const folder = folderOf(typed);
  const isOpen = state.phase.kind === 'open';
  useEffect(() => {
    void manager.start();
    return () => manager.stop();
  }, [manager]);
  useEffect(() => {
    if (!isOpen) return;
    const timer = setTimeout(
      () => folder !== manager.snapshot().path && void manager.go(folder),
      TYPING_MILLISECONDS,
    );
    return () => clearTimeout(timer);
  }, [manager, isOpen, folder]);
  if (state.phase.kind !== 'open')
    return (
      <PhaseCard
        hostname={asset.hostname}
        account={accountLabel(account)}
        manager={manager}
        phase={state.phase}
      />
    );
  const send = (taken: ConflictAnswer | undefined) => {
    if (!local) return;
    lastFolders.set(`${asset.id} ${account.id}`, folder);
    uploadInto(uploads, { place, folder, local, taken }).catch((error: unknown) =>
      toast.error(error instanceof Error ? error.message : ''),
    );
    onClose();
  };
  return (
    <Target
      state={state}
      opened={state.phase.opened}
      typed={typed}
      folder={folder}
      local={local}
      onTyped={setTyped}
      onSend={send}
      onClose={onClose}
    />
  );
}

interface TargetProps {
  readonly state: FilesSnapshot;
  readonly opened: FilesOpened;
  readonly typed: string;
  readonly folder: string;
  readonly local: LocalFiles | null;
  readonly onTyped: (typed: string) => void;
  readonly onSend: (taken: ConflictAnswer | undefined) => void;
  readonly onClose: () => void;
}

function Target({ state, opened, typed, folder, local, onTyped, onSend, onClose }: TargetProps) {
  const list = useId();
  const [taken, setTaken] = useState<ConflictAnswer | 'ask'>('ask');
  const mayUpload = opened.actions.includes('upload_file');
  const isRead = state.path === folder && !state.isLoading;
  const error = isRead ? state.error : null;
  const names = isRead && local ? takenNames(state, local) : [];
  const isReady = mayUpload && isRead && error === null && local !== null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onSend(taken === 'ask' ? undefined : taken);
  };
  const folders = state.items
    .filter(({ kind, name }) => kind === 'folder' && !name.startsWith('.'))
    .slice(0, MOST_FOLDERS);
  return (
    <form onSubmit={submit}>
      {mayUpload ? null : (
        <Alert color="red" mb="md" role="alert">
          {t(fileWords.noUpload)}
        </Alert>
      )}
      <TextInput
        label={t(words.folder)}
        description={t(words.folderHint, { account: opened.account, root: opened.root })}
        value={typed}
        error={error}
        maxLength={4096}
        autoComplete="off"
        spellCheck={false}
        disabled={!mayUpload}
        list={list}
        rightSection={isRead ? null : <Loader size={14} />}
        onChange={(event) => onTyped(event.currentTarget.value)}
      />
      <datalist id={list}>
        {folders.map(({ name }) => (
          <option key={name} value={pathIn(state.path, name)} />
        ))}
      </datalist>
      {names.length > 0 ? (
        <Alert color="yellow" mt="sm" role="status">
          {t(words.taken, {
            count: names.length,
            names: names.slice(0, 5).map(shownName).join(', ') + (names.length > 5 ? ' …' : ''),
          })}
        </Alert>
      ) : null}
      <NativeSelect
        mt="sm"
        label={t(words.whenTaken)}
        value={taken}
        disabled={!mayUpload}
        onChange={(event) => setTaken(event.currentTarget.value as ConflictAnswer | 'ask')}
        data={[
          { value: 'ask', label: t(words.askEach) },
          { value: 'overwrite', label: t(words.replace) },
          { value: 'both', label: t(words.keepBoth) },
          { value: 'skip', label: t(words.skip) },
        ]}
      />
      <Group mt="lg" justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          {t(words.cancel)}
        </Button>
        <Button
          type="submit"
          disabled={!isReady}
          title={mayUpload ? undefined : t(fileWords.noUpload)}
          data-autofocus={local !== null || undefined}
        >
          {t(words.upload)}
        </Button>
      </Group>
    </form>
  );
}
