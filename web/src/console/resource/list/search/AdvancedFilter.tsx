import { Button, Drawer, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { Page } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../../../kit/api.ts';
import { common, t } from '../../../../kit/i18n/index.ts';
import { RemoteSelect } from '../../form/RemoteSelect.tsx';
import { referenceTo } from '../../references.ts';
import { cacheKey, listUrl, type Source } from '../../source.ts';
import styles from '../List.module.css';
import type { QueryValues } from '../useListPage.ts';
import { words } from '../words.ts';
import { type SearchField, withoutBlanks } from './search-fields.ts';
import type { SearchValue } from './useTagSearch.ts';

/** Debounce in milliseconds before matching rows are counted. */
const REST = 300;

interface AdvancedFilterProps {
  readonly source: Source;
  readonly fields: readonly SearchField[];
  readonly search: SearchValue;
  /** Returns the query of the list with the given conditions. */
  readonly queryFor: (value: SearchValue) => QueryValues;
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
    return (
      <RemoteSelect
        reference={reference}
        label={label}
        multiple={false}
        value={value ? [value] : []}
        onChange={([chosen = '']) => onChange(chosen)}
      />
    );
  }
  if (choices)
    return (
      <Select
        label={label}
        data={[...choices]}
        searchable
        clearable
        value={value || null}
        onChange={(chosen) => onChange(chosen ?? '')}
      />
    );
  return (
    <TextInput
      label={label}
      maxLength={256}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Moves the id to the end: few users search by id. */
const idsLast = (fields: readonly SearchField[]) =>
  [...fields].sort((a, b) => Number(a.name === 'id') - Number(b.name === 'id'));

/** Shows how many rows match the draft conditions. */
function Matching({ source, query }: { readonly source: Source; readonly query: QueryValues }) {
  const [settled] = useDebouncedValue(query, REST);
  const { data } = useQuery({
    queryKey: [...cacheKey(source), 'count', settled],
    queryFn: ({ signal }) =>
      api.get<Page<unknown>>(listUrl(source), {
        query: { ...settled, limit: 1, offset: 0 },
        signal,
        quiet: true,
      }),
    placeholderData: keepPreviousData,
  });
  return (
    <Text fz="sm" c="dimmed" mr="auto" role="status">
      {data && t(words.matching, { count: data.count })}
    </Text>
  );
}

/** Drawer with all conditions of a list, each with the control of its field. */
export function AdvancedFilter({
  source,
  fields,
  search,
  queryFor,
  onApply,
  onClose,
}: AdvancedFilterProps) {
  const [text, setText] = useState(search.search);
  const [filters, setFilters] = useState<Readonly<Record<string, string>>>(search.filters);

  const conditions = { search: text.trim(), filters: withoutBlanks(filters) };

  function apply(event: FormEvent) {
    event.preventDefault();
    onApply(conditions);
    onClose();
  }

  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="md"
      title={t(words.advancedFilter)}
      overlayProps={{ backgroundOpacity: 0.2 }}
    >
      <form onSubmit={apply}>
        <Stack>
          <TextInput
            label={t(words.keywords)}
            maxLength={256}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            data-autofocus
          />
          {idsLast(fields).map((field) => (
            <Control
              key={field.name}
              field={field}
              value={filters[field.name] ?? ''}
              onChange={(value) => setFilters((old) => ({ ...old, [field.name]: value }))}
            />
          ))}
          <Group justify="flex-end" gap="xs" className={styles.drawerBar}>
            <Matching source={source} query={queryFor(conditions)} />
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
    </Drawer>
  );
}
