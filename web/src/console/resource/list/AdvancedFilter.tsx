import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { RemoteSelect } from '../form/RemoteSelect.tsx';
import { referenceTo } from '../references.ts';
import { type SearchField, withoutBlanks } from './search-fields.ts';
import type { SearchValue } from './TagSearch.tsx';
import { words } from './words.ts';

interface AdvancedFilterProps {
  readonly fields: readonly SearchField[];
  readonly search: SearchValue;
  readonly onApply: (value: SearchValue) => void;
  readonly onClose: () => void;
}

interface ControlProps {
  readonly field: SearchField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Control({ field, value, onChange }: ControlProps) {
  const { label, choices, target } = field;
  const reference = target ? referenceTo(target) : undefined;
  if (reference) {
    return <RemoteSelect reference={reference} label={label} multiple={false} value={value ? [value] : []} onChange={([chosen = '']) => onChange(chosen)} />;
  }
  if (choices) return <Select label={label} data={[...choices]} searchable clearable value={value || null} onChange={(chosen) => onChange(chosen ?? '')} />;
  return <TextInput label={label} maxLength={256} value={value} onChange={(event) => onChange(event.currentTarget.value)} />;
}

/** Few people know an id: it is the last choice. */
const idsLast = (fields: readonly SearchField[]) => [...fields].sort((a, b) => Number(a.name === 'id') - Number(b.name === 'id'));

/** All conditions of a list on one page: what can be filtered by, each with the control it deserves. */
export function AdvancedFilter({ fields, search, onApply, onClose }: AdvancedFilterProps) {
  const [text, setText] = useState(search.search);
  const [filters, setFilters] = useState<Readonly<Record<string, string>>>(search.filters);

  function apply(event: FormEvent) {
    event.preventDefault();
    onApply({ search: text.trim(), filters: withoutBlanks(filters) });
    onClose();
  }

  return (
    <Modal opened onClose={onClose} title={t(words.advancedFilter)} size="lg">
      <form onSubmit={apply}>
        <Stack>
          <TextInput label={t(words.keywords)} maxLength={256} value={text} onChange={(event) => setText(event.currentTarget.value)} data-autofocus />
          {idsLast(fields).map((field) => (
            <Control
              key={field.name}
              field={field}
              value={filters[field.name] ?? ''}
              onChange={(value) => setFilters((old) => ({ ...old, [field.name]: value }))}
            />
          ))}
          <Group justify="flex-end" gap="xs">
            <Button
              variant="subtle"
              color="gray"
              onClick={() => {
                setText('');
                setFilters({});
              }}
            >
              {t(words.clearFilters)}
            </Button>
            <Button variant="default" onClick={onClose}>
              {t(common.cancel)}
            </Button>
            <Button type="submit">{t(words.apply)}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
