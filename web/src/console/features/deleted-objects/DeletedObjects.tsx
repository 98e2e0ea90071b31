import { deletedObject, RESOURCES, type Row } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, PROPOSED } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { failureText } from '../../../kit/identity/failure.ts';
import {
  type OtherNames,
  restoreAll,
  restoreOne,
  takenNames,
} from '../../resource/deleted/restore.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { exactMoment } from '../../resource/list/table/columns.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { words } from './words.ts';

type Deleted = Row<typeof deletedObject>;

const MOST_NAME = 128;
// A deleted object has no detail page.
const nowhere = () => undefined;

const resourceOf = ({ resource }: Deleted) => RESOURCES.find(({ name }) => name === resource);

/** The label of a field of the deleted object. */
function labelOf(row: Deleted, name: string): string {
  const field = resourceOf(row)?.fields[name];
  return field ? t(field.label) : name;
}

function useRestore() {
  const client = useQueryClient();
  const reload = () => client.invalidateQueries({ queryKey: ['resource'] });

  /** Restores an object; asks for another name while one is taken. */
  async function restore(row: Deleted, values: OtherNames = {}): Promise<void> {
    try {
      await restoreOne(row.id, { values, quiet: true });
      toast.success(t(words.restored));
      await reload();
    } catch (error) {
      if (error instanceof ApiError && error.code === PROPOSED) return;
      const [taken] = takenNames(error, resourceOf(row) ?? { fields: {} });
      if (taken === undefined) toast.error(t(words.notRestored), failureText(error));
      else askForOther(row, values, taken);
    }
  }

  function askForOther(row: Deleted, values: OtherNames, name: string) {
    const field = labelOf(row, name);
    askFirst({
      message: t(words.taken, { name: row.name, field }),
      confirm: t(words.restore),
      note: {
        label: t(words.otherName, { field }),
        hint: t(words.mustBeUnique),
        max: MOST_NAME,
        isRequired: true,
      },
      run: (other) => restore(row, { ...values, [name]: other }),
    });
  }
  return { restore, reload };
}

/** Deleted objects: restore them, or delete them permanently. */
export function DeletedObjects() {
  const { restore, reload } = useRestore();
  return (
    <>
      <PageHeader />
      <ResourceList<Deleted>
        source={deletedObject}
        link={nowhere}
        columns={[
          { name: 'name', essential: true },
          { name: 'resource_display', width: 160, essential: true },
          { name: 'deleted_by', width: 200 },
          { name: 'date_deleted', cell: exactMoment('date_deleted') },
          { name: 'date_expires', cell: exactMoment('date_expires') },
        ]}
        hasDelete
        emptyTitle={t(words.empty)}
        emptyHint={t(words.emptyHint)}
        extraActions={(row) => [
          { key: 'restore', label: t(words.restore), run: () => void restore(row) },
        ]}
        bulkActions={(rows, done) => [
          {
            key: 'restore',
            label: t(words.restoreSelected),
            run: () =>
              void restoreAll(rows.map(({ id }) => id)).then(
                () => {
                  done();
                  return reload();
                },
                () => undefined,
              ),
          },
        ]}
      />
    </>
  );
}
