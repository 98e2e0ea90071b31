import { Autocomplete, Group, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { KnownAccount } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { words } from './words.ts';

const PAUSE = 200;

/** Names an account; offers those that are known on assets, the most frequent first. */
export function AccountField({
  name,
  label,
  help,
  required,
  disabled,
  error,
  value,
  onChange,
  onBlur,
}: WidgetProps) {
  const text = typeof value === 'string' ? value : '';
  const [search] = useDebouncedValue(text.trim(), PAUSE);
  const { data = [] } = useQuery({
    queryKey: ['known-accounts', search],
    queryFn: ({ signal }) =>
      api.get<readonly KnownAccount[]>('xpack/change-auth-plan/accounts/', {
        query: { search },
        signal,
        quiet: true,
      }),
    placeholderData: (previous) => previous,
  });
  const amounts = new Map(data.map(({ username, assets_amount }) => [username, assets_amount]));
  return (
    <Autocomplete
      name={name}
      label={label}
      description={help}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      withAsterisk={required}
      disabled={disabled}
      error={error}
      value={text}
      onChange={onChange}
      onBlur={onBlur}
      data={[...amounts.keys()]}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <Group justify="space-between" w="100%" wrap="nowrap">
          <span>{option.value}</span>
          <Text fz="xs" c="dimmed">
            {t(words.knownOn, { count: amounts.get(option.value) ?? 0 })}
          </Text>
        </Group>
      )}
    />
  );
}
