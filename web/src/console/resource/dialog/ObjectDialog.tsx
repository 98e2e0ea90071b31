import { Button, Group, Modal, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { DetailCard } from '../detail/Cards.tsx';
import type { FormValues } from '../form/form-state.ts';
import { ResourceForm } from '../form/ResourceForm.tsx';
import type { FieldOverrides, FormGroup } from '../form/spec.ts';
import { useResourceForm } from '../form/useResourceForm.ts';
import { LoadFailed } from '../list/ListStates.tsx';
import { cacheKey, nameIn, objectUrl, type Source } from '../source.ts';

/** Returns the fields of a form that can be shown: all except write-only fields. */
export function factsOf<T>(source: Source, groups: readonly FormGroup[]): (keyof T & string)[] {
  const names = groups
    .flatMap(({ fields }) => fields)
    .filter((name) => source.fields[name]?.mode !== 'writeonly');
  return names as (keyof T & string)[];
}

/** Purpose of a dialog for an object (conformance 4.20). */
export type DialogMode = 'new' | 'edit' | 'view';

export interface ObjectDialogProps {
  readonly mode: DialogMode;
  readonly source: Source;
  /** Absent for a new object. */
  readonly id?: string;
  readonly groups: readonly FormGroup[];
  readonly overrides?: FieldOverrides;
  readonly initial?: FormValues;
  /** True if the viewer may switch to editing. */
  readonly canEdit?: boolean;
  readonly onSaved?: (saved: unknown) => void;
  readonly onClose: () => void;
}

type Row = { readonly id: string };

function FormBody({
  source,
  id = '',
  groups,
  overrides,
  initial,
  onSaved,
  onClose,
}: Omit<ObjectDialogProps, 'mode'>) {
  const form = useResourceForm(source, id, {
    groups,
    ...(overrides && { overrides }),
    ...(initial && { initial }),
    onSaved: (saved) => {
      onSaved?.(saved);
      onClose();
    },
  });
  return (
    <ResourceForm
      form={form}
      groups={groups}
      {...(overrides && { overrides })}
      onCancel={onClose}
    />
  );
}

function ViewBody({
  source,
  id = '',
  groups,
  canEdit,
  onEdit,
  onClose,
}: Omit<ObjectDialogProps, 'mode'> & { readonly onEdit: () => void }) {
  const object = useQuery({
    queryKey: [...cacheKey(source), 'view', id],
    queryFn: ({ signal }) => api.get<Row>(objectUrl(source, id), { signal, quiet: true }),
  });
  if (object.isError)
    return <LoadFailed error={object.error} onRetry={() => void object.refetch()} />;
  if (!object.data) return <Skeleton height={240} />;
  return (
    <>
      <DetailCard
        source={source}
        object={object.data}
        facts={factsOf<Row>(source, groups)}
        title={nameIn(source, object.data)}
      />
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={onClose}>
          {t(common.close)}
        </Button>
        {canEdit && <Button onClick={onEdit}>{t(common.update)}</Button>}
      </Group>
    </>
  );
}

/** Creates, updates or shows an object without leaving the page. */
export function ObjectDialog({ mode, ...props }: ObjectDialogProps) {
  const [now, setNow] = useState(mode);
  const verb = now === 'new' ? common.create : now === 'edit' ? common.update : common.view;
  // React events bubble through portals: without this, submitting the dialog would submit the outer
  // form.
  const keep = (event: SyntheticEvent) => event.stopPropagation();
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={`${t(verb)}: ${t(props.source.title)}`}
      size="lg"
      closeOnClickOutside={now === 'view'}
      onSubmit={keep}
    >
      {now === 'view' ? (
        <ViewBody {...props} onEdit={() => setNow('edit')} />
      ) : (
        <FormBody {...props} />
      )}
    </Modal>
  );
}
