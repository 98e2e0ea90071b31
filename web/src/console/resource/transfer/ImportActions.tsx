import { Alert, Button, Checkbox, Group } from '@mantine/core';
import { targetOf } from '@sallyport/contract';
import { common, t } from '../../../kit/i18n/index.ts';
import { words as listWords } from '../list/words.ts';
import type { Source } from '../source.ts';
import type { Imported, ImportModel } from './import-model.ts';
import { words } from './words.ts';

/** Actions after an import. */
export interface ImportedActions {
  readonly onShow: (imported: Imported) => void;
  readonly onUndo: (imported: Imported) => void;
}

/** Note on the imported rows of a file while its other rows wait. */
export function ImportedNote({
  imported,
  onShow,
  onUndo,
}: ImportedActions & { readonly imported: Imported }) {
  return (
    <Alert color="green" role="status">
      <Group justify="space-between" gap="xs">
        {t(words.importedCount, { count: imported.ids.length })}
        <Group gap="xs">
          <Button size="compact-sm" variant="light" onClick={() => onShow(imported)}>
            {t(words.showImported)}
          </Button>
          {imported.mode === 'create' && (
            <Button size="compact-sm" variant="default" onClick={() => onUndo(imported)}>
              {t(words.undoTitle)}
            </Button>
          )}
        </Group>
      </Group>
    </Alert>
  );
}

/** Switch to create missing nodes; shown for files with a column of nodes. */
export function CreateNodes({
  model,
  source,
}: {
  readonly model: ImportModel;
  readonly source: Source;
}) {
  const { stage, createNodes, setCreateNodes, fieldOf } = model;
  if (
    stage.name !== 'checked' ||
    !stage.header.some((cell) => targetOf(source.fields[fieldOf(cell) ?? '']) === 'node')
  )
    return null;
  return (
    <Checkbox
      size="xs"
      label={t(words.createNodes)}
      checked={createNodes}
      onChange={(event) => setCreateNodes(event.currentTarget.checked)}
    />
  );
}

/** Actions on a checked file: import all rows, or the good rows now and the bad ones later. */
export function ImportActions({
  model,
  onClose,
}: {
  readonly model: ImportModel;
  readonly onClose: () => void;
}) {
  const { stage, good, bad, changed } = model;
  const writing = stage.name === 'writing';
  const checked = stage.name === 'checked';
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onClose} disabled={writing}>
        {t(model.imported ? common.close : common.cancel)}
      </Button>
      {checked && bad > 0 && (
        <>
          <Button variant="default" onClick={model.downloadBad}>
            {t(words.downloadBad, { count: bad })}
          </Button>
          <Button
            variant={changed ? 'filled' : 'default'}
            disabled={!changed}
            onClick={model.checkAgain}
          >
            {t(words.checkAgain)}
          </Button>
        </>
      )}
      {checked && bad > 0 && good > 0 ? (
        <Button variant={changed ? 'default' : 'filled'} onClick={() => void model.importGood()}>
          {t(words.importGood, { count: good })}
        </Button>
      ) : model.imported && checked && good === 0 ? null : (
        <Button
          disabled={!checked || good === 0}
          loading={writing}
          onClick={() => void model.importGood()}
        >
          {checked ? t(words.importRows, { count: good }) : t(listWords.import)}
        </Button>
      )}
    </Group>
  );
}
