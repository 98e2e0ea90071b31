import { Select } from '@mantine/core';
import type { Row, replayStorage } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { words } from './words.ts';

type Storage = Row<typeof replayStorage>;

/** A bucket among the replay storages, or none. */
export function BackupStorage(props: WidgetProps) {
  const { name, label, help, disabled, error, value, onChange, onBlur } = props;
  const storages = useQuery({
    queryKey: ['backup storages'],
    queryFn: ({ signal }) =>
      api.get<readonly Storage[]>('terminal/replay-storages/?order=name', { signal }),
  });
  const buckets = (storages.data ?? []).filter(({ type }) => type !== 'server' && type !== 'null');
  return (
    <Select
      name={name}
      label={label}
      description={help}
      error={error ?? storages.error?.message}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      disabled={disabled || storages.isPending}
      data={[
        { value: '', label: t(words.noStorage) },
        ...buckets.map((one) => ({ value: one.id, label: one.name })),
      ]}
      allowDeselect={false}
      value={String(value ?? '')}
      onChange={(id) => onChange(id ?? '')}
      onBlur={onBlur}
    />
  );
}
