import { ActionIcon, Group, Input, NumberInput, Select, Stack } from '@mantine/core';
import { ASSET_PROTOCOLS, protocolOf } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { IconMinus, IconPlus } from '../../../kit/icons.ts';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { words } from './words.ts';

const NAMES = ASSET_PROTOCOLS.map(({ name }) => name);
const portOf = (name = '') => protocolOf(name)?.defaultPort ?? '';

/** Edits protocols with their ports, one row each. A protocol can occur once. */
export function ProtocolsField({ label, required, error, value, onChange }: WidgetProps) {
  const rows = (Array.isArray(value) ? value.map(String) : []).map((text) => {
    const [name = '', port = ''] = text.split('/');
    return { name, port };
  });
  const used = rows.map(({ name }) => name);
  const free = NAMES.filter((name) => !used.includes(name));
  const store = (next: readonly { readonly name: string; readonly port: string | number }[]) =>
    onChange(next.map(({ name, port }) => `${name}/${port}`));
  const replace = (index: number, row: { readonly name: string; readonly port: string | number }) =>
    store(rows.map((old, at) => (at === index ? row : old)));

  return (
    <Input.Wrapper
      label={label}
      error={error}
      withAsterisk={required}
      labelElement="div"
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <Stack gap={8}>
        {rows.map((row, index) => (
          <Group key={row.name} gap={6} wrap="nowrap">
            <Select
              flex={1}
              miw={84}
              aria-label={t(words.protocol)}
              allowDeselect={false}
              data={[row.name, ...free]}
              value={row.name}
              onChange={(name) => name && replace(index, { name, port: portOf(name) })}
            />
            <NumberInput
              w={76}
              aria-label={`${row.name} ${t(words.port)}`}
              min={1}
              max={65_535}
              allowDecimal={false}
              hideControls
              value={row.port}
              onChange={(port) => replace(index, { ...row, port })}
            />
            {rows.length > 1 && (
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={t(words.removeProtocol, { name: row.name })}
                onClick={() => store(rows.filter((_, at) => at !== index))}
              >
                <IconMinus size={14} />
              </ActionIcon>
            )}
            {index === rows.length - 1 && free[0] && (
              <ActionIcon
                variant="light"
                aria-label={t(words.addProtocol)}
                title={t(words.addProtocol)}
                onClick={() => store([...rows, { name: free[0] ?? '', port: portOf(free[0]) }])}
              >
                <IconPlus size={14} />
              </ActionIcon>
            )}
          </Group>
        ))}
      </Stack>
    </Input.Wrapper>
  );
}
