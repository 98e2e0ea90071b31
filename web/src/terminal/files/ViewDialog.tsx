import { Alert, Button, Center, Group, Loader, Modal, Text, Textarea } from '@mantine/core';
import type { TextFile } from '@sallyport/contract';
import { type KeyboardEvent, useCallback, useEffect, useState } from 'react';
import { ApiError } from '../../kit/api.ts';
import { ask } from '../../kit/dialogs/confirm.ts';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import { nameOf, shownName, viewerOf } from './entries.ts';
import styles from './Files.module.css';
import { contentAddress, type FilesPlace, readTextFile, saveTextFile } from './files-api.ts';
import { words } from './words.ts';

interface Props {
  readonly place: FilesPlace;
  readonly path: string;
  readonly mayUpload: boolean;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** A text file that the user reads, changes and saves, unless it changed in the meantime. */
function useTextFile({ place, path, onSaved }: Pick<Props, 'place' | 'path' | 'onSaved'>) {
  const [file, setFile] = useState<TextFile | null>(null);
  const [text, setText] = useState('');
  const [lineEnd, setLineEnd] = useState('\n');
  const [error, setError] = useState<string | null>(null);
  const [isConflict, setConflict] = useState(false);
  const [isBusy, setBusy] = useState(false);

  const load = useCallback(async () => {
    setError(null);
    setConflict(false);
    try {
      const read = await readTextFile(place, path);
      // A text field normalizes line ends; restore those of the file.
      setFile({ ...read, text: read.text.replaceAll('\r\n', '\n') });
      setText(read.text.replaceAll('\r\n', '\n'));
      setLineEnd(read.text.includes('\r\n') ? '\r\n' : '\n');
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : '');
    }
  }, [place, path]);
  useEffect(() => void load(), [load]);

  const save = async (version: string) => {
    if (!file || isBusy) return;
    setBusy(true);
    setError(null);
    try {
      const saved = await saveTextFile(place, path, {
        text: text.replaceAll('\n', lineEnd),
        charset: file.charset,
        version,
      });
      setFile({ ...file, text, version: saved.version });
      setConflict(false);
      toast.success(t(words.saved));
      onSaved();
    } catch (failure) {
      if (failure instanceof ApiError && failure.code === 'file_changed') setConflict(true);
      else setError(failure instanceof Error ? failure.message : '');
    } finally {
      setBusy(false);
    }
  };
  const isDirty = file !== null && text !== file.text;
  return { file, text, setText, isDirty, error, isConflict, isBusy, load, save };
}

/** Another user changed the file: the user overwrites it or loads it again. */
function ConflictAlert({ save, load }: Pick<ReturnType<typeof useTextFile>, 'save' | 'load'>) {
  return (
    <Alert color="yellow" title={t(words.changedTitle)} mb="sm" role="alert">
      <Text size="sm">{t(words.changedHint)}</Text>
      <Group mt="sm" gap="xs">
        <Button size="xs" color="red" onClick={() => void save('')}>
          {t(words.overwrite)}
        </Button>
        <Button size="xs" variant="default" onClick={() => void load()}>
          {t(words.loadAgain)}
        </Button>
      </Group>
    </Alert>
  );
}

/** Shows a text file; the user can change it if the permission allows this. */
function TextView({
  place,
  path,
  mayUpload,
  onSaved,
  onDirty,
}: Omit<Props, 'onClose'> & { readonly onDirty: (isDirty: boolean) => void }) {
  const { file, text, setText, isDirty, error, isConflict, isBusy, load, save } = useTextFile({
    place,
    path,
    onSaved,
  });
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (mayUpload && isDirty) void save(file?.version ?? '');
  };
  if (!file) return error === null ? <Loading /> : <Alert color="red">{error}</Alert>;
  return (
    <>
      {isConflict ? <ConflictAlert save={save} load={load} /> : null}
      {error === null ? null : (
        <Alert color="red" mb="sm" role="alert">
          {error}
        </Alert>
      )}
      <Textarea
        data-marked="under"
        classNames={{ input: styles.text }}
        aria-label={t(words.textOf, { name: shownName(nameOf(path)) })}
        value={text}
        readOnly={!mayUpload}
        spellCheck={false}
        data-autofocus
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Group mt="sm" justify="space-between">
        <Text size="xs" c="dimmed">
          {file.charset}
          {isDirty ? ` · ${t(words.unsaved)}` : ''}
        </Text>
        <Button
          disabled={!mayUpload || !isDirty}
          loading={isBusy}
          title={mayUpload ? undefined : t(words.noUpload)}
          onClick={() => void save(file.version)}
        >
          {t(words.save)}
        </Button>
      </Group>
    </>
  );
}

function Loading() {
  return (
    <Center h={160}>
      <Loader />
    </Center>
  );
}

/**
 * Shows a file in the page: a text as text, an image or a PDF from an address without access to
 * this page.
 */
export function ViewDialog({ place, path, mayUpload, onSaved, onClose }: Props) {
  const [isDirty, setDirty] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const name = shownName(nameOf(path));
  const viewer = viewerOf(nameOf(path));
  const close = () => {
    if (!isDirty) onClose();
    else
      ask({
        title: t(words.discardTitle),
        message: t(words.unsaved),
        confirm: t(words.discard),
        danger: true,
        onConfirm: onClose,
      });
  };
  return (
    <Modal
      opened
      onClose={close}
      title={name}
      size="min(1000px, 96vw)"
      classNames={{ title: styles.viewTitle }}
    >
      {viewer === 'image' && !isBroken ? (
        <div className={styles.picture} data-marked="over">
          <img
            src={contentAddress(place, path, true)}
            alt={t(words.imageOf, { name })}
            onError={() => setBroken(true)}
          />
        </div>
      ) : viewer === 'pdf' ? (
        <div data-marked="over">
          <iframe className={styles.paper} src={contentAddress(place, path, true)} title={name} />
        </div>
      ) : viewer === 'text' ? (
        <TextView
          place={place}
          path={path}
          mayUpload={mayUpload}
          onSaved={onSaved}
          onDirty={setDirty}
        />
      ) : (
        <Text>{t(words.noPreview)}</Text>
      )}
    </Modal>
  );
}
