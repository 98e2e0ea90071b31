import { Loader, MultiSelect, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  LEAST_TARGET_SEARCH,
  REQUEST_TARGETS,
  type RequestableTarget,
  type RequestTarget,
} from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../../kit/api.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { REQUEST_KEY } from './about.ts';
import { words } from './words.ts';

/** A target of a request: chosen from the search, or only typed. */
export interface Wish {
  readonly target: RequestTarget;
  readonly name: string;
  /** The address of a server; empty for other targets and for typed names. */
  readonly address: string;
}

/** Debounce of the search in milliseconds. */
const PAUSE = 200;
/** A request names many servers, but one application. */
const MOST_SERVERS = 20;

export const keyOf = ({ target, name, address }: Wish) => JSON.stringify([target, name, address]);

/** Reads a key of `keyOf`. */
export function wishOf(key: string): Wish {
  const [target, name, address] = JSON.parse(key) as [RequestTarget, string, string];
  return { target, name, address };
}

const wishFor = ({ target, name, detail }: RequestableTarget): Wish => ({
  target,
  name,
  address: target === 'asset' ? detail : '',
});

interface TargetFieldProps {
  readonly label: string;
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
  /** The kind of a typed name. */
  readonly usual: RequestTarget;
  readonly organization: string;
  readonly error?: string | undefined;
}

/** Searches what may be requested. A name that the search does not find can be typed. */
export function TargetField({
  label,
  value,
  onChange,
  usual,
  organization,
  error,
}: TargetFieldProps) {
  const [search, setSearch] = useState('');
  const [sought] = useDebouncedValue(search.trim(), PAUSE);
  const isLong = [...sought].length >= LEAST_TARGET_SEARCH;
  const { data = [], isFetching } = useQuery({
    queryKey: [...REQUEST_KEY, 'targets', sought],
    queryFn: ({ signal }) =>
      api.get<readonly RequestableTarget[]>('tickets/request-asset-perm/targets/', {
        query: { search: sought },
        signal,
        quiet: true,
      }),
    enabled: isLong,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const chosen = value.map(wishOf);
  const kind = chosen[0]?.target;
  const matches = (isLong ? data : [])
    .filter(({ target, org_id: org }) => org === organization && (!kind || kind === target))
    .map((one) => ({ ...one, key: keyOf(wishFor(one)) }));
  const typed = search.trim();
  const typedKey = keyOf({ target: kind ?? usual, name: typed, address: '' });
  const isNamed = typed === '' || matches.some(({ name }) => name === typed);
  const groups = REQUEST_TARGETS.flatMap(({ value: target, label: group }) => {
    const items = [
      ...chosen.filter((one) => one.target === target).map((one) => keyOf(one)),
      ...matches.filter((one) => one.target === target).map(({ key }) => key),
    ];
    return items.length === 0
      ? []
      : [
          {
            group: t(group),
            items: [...new Set(items)].map((key) => ({ value: key, label: wishOf(key).name })),
          },
        ];
  });
  const details = new Map(matches.map(({ key, detail }) => [key, detail]));
  return (
    <MultiSelect
      label={label}
      placeholder={chosen.length === 0 ? t(words.searchTargets) : ''}
      error={error}
      required
      searchable
      data-autofocus
      searchValue={search}
      onSearchChange={setSearch}
      maxValues={kind && kind !== 'asset' ? 1 : MOST_SERVERS}
      hidePickedOptions
      // The server has searched, also in addresses.
      filter={({ options }) => options}
      description={t(words.typeTarget)}
      {...(isLong && !isFetching && { nothingFoundMessage: t(words.noTarget) })}
      rightSection={isFetching ? <Loader size={14} /> : null}
      data={[
        ...groups,
        ...(isNamed || value.includes(typedKey)
          ? []
          : [
              {
                group: t(words.asTyped),
                items: [{ value: typedKey, label: typed }],
              },
            ]),
      ]}
      renderOption={({ option }) => (
        <span>
          {option.value === typedKey ? t(words.useTyped, { name: typed }) : option.label}{' '}
          <Text span fz="xs" opacity={0.85}>
            {details.get(option.value)}
          </Text>
        </span>
      )}
      value={[...value]}
      onChange={onChange}
    />
  );
}
