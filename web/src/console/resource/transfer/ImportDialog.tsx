import { Alert, Anchor, Button, FileButton, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useEffect, useState } from 'react';
import { ApiError } from '../../../kit/api.ts';
import { withOverlays } from '../../../kit/dialogs/overlay-host.tsx';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { download } from '../../../kit/download.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconFileTypeCsv } from '../../../kit/icons.ts';
import { useGo, usePath } from '../../base/navigation.tsx';
import { JobProgress, Pending } from '../job/JobProgress.tsx';
import { useJob } from '../job/useJob.ts';
import { words as listWords } from '../list/words.ts';
import { cacheKey, nameSet, type Source } from '../source.ts';
import { type ListExtent, templateAddress } from './export-address.ts';
import styles from './Import.module.css';
import {
  CreateNodes,
  ImportActions,
  type ImportedActions,
  ImportedNote,
} from './ImportActions.tsx';
import { ImportPreview } from './ImportPreview.tsx';
import type { Imported, ImportMode, ImportModel } from './import-model.ts';
import { askToUndo } from './undo-import.ts';
import { useImport } from './useImport.ts';
import { words } from './words.ts';

/**
 * Handles the end of an import: shows the imported rows in the list, or undoes the import. Draws
 * nothing.
 */
function useImported(
  source: Source,
  close: () => void,
): ImportedActions & { readonly onDone: (imported: Imported) => void } {
  const client = useQueryClient();
  const go = useGo();
  const path = usePath();
  const onShow = async ({ ids }: Imported) => {
    close();
    await go(path, { search: { spm: await nameSet(ids) } });
  };
  const onUndo = (imported: Imported) =>
    askToUndo(imported, () => {
      close();
      void client.invalidateQueries({ queryKey: cacheKey(source).slice(0, 2) });
    });
  return {
    onShow: (imported) => void onShow(imported),
    onUndo: (imported) => void onUndo(imported),
    onDone: (imported) => {
      close();
      const created = imported.mode === 'create';
      withOverlays((overlays) =>
        overlays.showOffers(
          t(created ? words.createdAll : words.updatedAll, { count: imported.ids.length }),
          [
            { label: t(words.showImported), run: () => void onShow(imported) },
            ...(created ? [{ label: t(words.undoTitle), run: () => void onUndo(imported) }] : []),
          ],
        ),
      );
    },
  };
}

interface ImportDialogProps {
  readonly extent: ListExtent;
  /** Allowed import modes. */
  readonly modes: readonly ImportMode[];
  readonly onClose: () => void;
}

/** Takes one file by button or by drag and drop. */
function FilePlace({ model }: { readonly model: ImportModel }) {
  const { stage, file, busy, chooseFiles } = model;
  const [over, setOver] = useState(false);
  function onDrop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    if (!busy) chooseFiles([...event.dataTransfer.files]);
  }
  return (
    <fieldset
      className={`${styles.place} ${over ? styles.over : ''}`}
      aria-label={t(words.chooseFile)}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <IconFileTypeCsv size={28} stroke={1.4} aria-hidden="true" />
      {file ? <strong className="mono">{file}</strong> : t(words.dropHere)}
      <FileButton
        accept=".csv,text/csv"
        onChange={(chosen) => chosen && chooseFiles([chosen])}
        disabled={busy}
      >
        {(props) => (
          <Button {...props} variant="default" size="xs" disabled={busy}>
            {t(file ? words.chooseOther : words.chooseFile)}
          </Button>
        )}
      </FileButton>
      {stage.name === 'empty' && (
        <Text
          fz="sm"
          c={stage.refusal ? 'red' : 'dimmed'}
          {...(stage.refusal && { role: 'alert' })}
        >
          {stage.refusal ?? t(words.onlyCsv)}
        </Text>
      )}
    </fieldset>
  );
}

/** Progress of the upload, the check or the import of a file. */
function ImportProgress({ stage, file = '' }: Pick<ImportModel, 'stage' | 'file'>) {
  const isSent = stage.name === 'checking' || stage.name === 'writing';
  const model = useJob(isSent ? stage.job : undefined, { beginsLater: true });
  if (stage.name === 'reading') return <Pending title={t(words.reading, { name: file })} />;
  if (!isSent) return null;
  const title = t(stage.name === 'checking' ? words.checking : words.writing, {
    count: stage.rows,
  });
  // The answer to the request carries the result, so a lost job connection is no problem before it.
  return model.problem ? <Pending title={title} /> : <JobProgress model={model} title={title} />;
}

/**
 * Imports a file in three steps: template, check of every row, import. Bad rows stay and can be
 * fixed in the dialog.
 */
export function ImportDialog({ extent, modes, onClose }: ImportDialogProps) {
  const actions = useImported(extent.source, onClose);
  const model = useImport(extent.source, actions.onDone);
  const { mode, stage, busy, chooseMode, stop, imported } = model;
  // The dialog stays open until the result arrives; the progress has a cancel button.
  const writing = stage.name === 'writing';
  const close = () => {
    if (!writing) onClose();
  };
  const only = modes.length === 1 ? modes[0] : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the dialog opens and when it goes
  useEffect(() => {
    if (only) chooseMode(only);
    return stop;
  }, [only]);

  async function saveTemplate(purpose: 'import' | 'update') {
    try {
      download(await templateAddress(extent, purpose));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      toast.error(t(words.getFailed), error.message);
    }
  }

  return (
    <Modal
      opened
      onClose={close}
      title={`${t(listWords.import)}: ${t(extent.source.title)}`}
      size={model.bad > 0 ? 1180 : 860}
      closeOnClickOutside={!busy}
    >
      <Stack>
        <Group justify="space-between" align="flex-end">
          {only ? (
            <Text fw={600}>{t(only === 'create' ? common.create : common.update)}</Text>
          ) : (
            <Radio.Group
              label={t(words.importMode)}
              value={mode}
              onChange={(chosen) => chooseMode(chosen === 'update' ? 'update' : 'create')}
            >
              <Group gap="lg" mt="xs">
                <Radio value="create" label={t(common.create)} disabled={busy} />
                <Radio value="update" label={t(common.update)} disabled={busy} />
              </Group>
            </Radio.Group>
          )}
          <Anchor
            component="button"
            type="button"
            fz="sm"
            onClick={() => void saveTemplate(mode === 'create' ? 'import' : 'update')}
          >
            {t(mode === 'create' ? words.createTemplate : words.updateTemplate)}
          </Anchor>
        </Group>
        {mode === 'update' && extent.selected.length === 0 && (
          <Text fz="sm" c="dimmed">
            {t(words.updateTemplateHint)}
          </Text>
        )}
        <FilePlace model={model} />
        <ImportProgress stage={stage} file={model.file} />
        {stage.name === 'refused' && (
          <Alert color="red" title={t(words.refused)} role="alert">
            {stage.reason}
          </Alert>
        )}
        {imported && !busy && <ImportedNote imported={imported} {...actions} />}
        {stage.name === 'checked' && (
          <>
            {stage.problem && (
              <Alert color="red" title={t(words.refused)} role="alert">
                {stage.problem}
              </Alert>
            )}
            <ImportPreview model={model} header={stage.header} verdicts={stage.verdicts} />
            <CreateNodes model={model} source={extent.source} />
          </>
        )}
        <ImportActions model={model} onClose={close} />
      </Stack>
    </Modal>
  );
}
