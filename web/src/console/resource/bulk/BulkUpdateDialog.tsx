import { Alert, Button, Checkbox, Group, List, Modal, Stack, Text } from '@mantine/core';
import type { FormEvent } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { FieldWidget } from '../form/FieldWidget.tsx';
import type { FieldOverrides } from '../form/spec.ts';
import { words as formWords } from '../form/words.ts';
import { countOf } from '../list/empty-title.ts';
import { words as listWords } from '../list/words.ts';
import type { Source } from '../source.ts';
import { type BulkUpdateSpec, useBulkUpdate } from './useBulkUpdate.ts';
import { words } from './words.ts';

interface BulkUpdateDialogProps {
  readonly source: Source;
  readonly spec: BulkUpdateSpec & { readonly overrides?: FieldOverrides };
  readonly rows: readonly { readonly id: string }[];
  /** Number of objects to change, if they differ from the rows. */
  readonly count?: number;
  readonly onClose: () => void;
}

/** Dialog that applies the ticked fields to all selected rows. */
export function BulkUpdateDialog({
  source,
  spec,
  rows,
  count = rows.length,
  onClose,
}: BulkUpdateDialogProps) {
  const model = useBulkUpdate(source, spec, rows, onClose);
  const { fields, ticked, errors, otherErrors, saving, values } = model;

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void model.submit();
  }

  const labelOf = (name: string, label: string) => {
    const own = spec.overrides?.[name]?.label;
    return own ? t(own) : label;
  };

  return (
    <Modal opened onClose={onClose} title={t(words.updateSelected)} size="max(70%, 340px)">
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <Text c="dimmed" fz="sm">
            {t(listWords.selected, { count })}
          </Text>
          <Checkbox.Group
            label={t(words.selectProperties)}
            value={[...ticked]}
            onChange={(names) => {
              for (const { name } of fields)
                if (ticked.has(name) !== names.includes(name))
                  model.tick(name, names.includes(name));
            }}
          >
            <Group gap="lg" mt="xs">
              {fields.map(({ name, field }) => (
                <Checkbox
                  key={name}
                  value={name}
                  label={labelOf(name, t(field.label))}
                  disabled={saving}
                />
              ))}
            </Group>
          </Checkbox.Group>
          {otherErrors.length > 0 && (
            <Alert color="red" title={t(formWords.otherProblems)} role="alert">
              <List size="sm">
                {otherErrors.map((problem) => (
                  <List.Item key={problem}>{problem}</List.Item>
                ))}
              </List>
            </Alert>
          )}
          {fields
            .filter(({ name }) => ticked.has(name))
            .map(({ name, field }) => {
              const override = spec.overrides?.[name];
              const Widget = override?.widget ?? FieldWidget;
              return (
                <Widget
                  key={name}
                  name={name}
                  field={field}
                  label={labelOf(name, t(field.label))}
                  help={override?.help ? t(override.help) : field.help && t(field.help)}
                  required={field.required}
                  disabled={saving}
                  error={errors[name]}
                  value={values[name]}
                  onChange={(value) => model.set(name, value)}
                  onBlur={() => model.leave(name)}
                  updating
                />
              );
            })}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={saving}>
              {t(common.cancel)}
            </Button>
            <Button type="submit" disabled={ticked.size === 0} loading={saving}>
              {t(listWords.updateMany, { objects: countOf(source, count) })}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
