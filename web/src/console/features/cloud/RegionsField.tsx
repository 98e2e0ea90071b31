import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef } from 'react';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { words } from './words.ts';

/** The account selected in the form; empty for none. */
export const ChosenAccount = createContext('');

interface Regions {
  readonly regions: readonly { readonly id: string; readonly name: string }[];
}

/**
 * Chooses among the regions that the provider offers to the selected account. Another account
 * clears the selection.
 */
export function RegionsField({
  name,
  label,
  help,
  required,
  disabled,
  error,
  value,
  onChange,
}: WidgetProps) {
  const account = useContext(ChosenAccount);
  const before = useRef(account);
  useEffect(() => {
    if (before.current && before.current !== account) onChange([]);
    before.current = account;
  }, [account, onChange]);
  const {
    data,
    isFetching,
    error: problem,
  } = useQuery({
    queryKey: ['cloud-regions', account],
    queryFn: ({ signal }) =>
      api.get<Regions>('xpack/cloud/regions/', {
        query: { account_id: account },
        signal,
        quiet: true,
      }),
    enabled: account !== '',
    retry: false,
    staleTime: 300_000,
  });
  const chosen = Array.isArray(value) ? value.map(String) : [];
  const offered = data?.regions ?? [];
  const known = new Set(offered.map(({ id }) => id));
  return (
    <MultiSelect
      name={name}
      label={label}
      description={account === '' ? t(words.chooseAccount) : isFetching ? t(words.loading) : help}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      error={error ?? problem?.message}
      withAsterisk={required}
      disabled={disabled || account === ''}
      searchable
      clearable
      nothingFoundMessage={t(words.noRegions)}
      data={[
        ...offered.map(({ id, name: text }) => ({
          value: id,
          label: text === id ? id : `${text} (${id})`,
        })),
        // Stored regions stay visible if the provider does not answer or no longer offers them.
        ...chosen.filter((id) => !known.has(id)).map((id) => ({ value: id, label: id })),
      ]}
      value={chosen}
      onChange={onChange}
    />
  );
}
