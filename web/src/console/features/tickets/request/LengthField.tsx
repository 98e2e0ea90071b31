import { Button, Group, Input } from '@mantine/core';
import { t } from '../../../../kit/i18n/index.ts';
import { DateTimeField } from '../../../resource/form/DateTimeField.tsx';
import { LENGTHS, lengthText, type Span } from './lengths.ts';
import { words } from './words.ts';

interface LengthFieldProps {
  readonly label: string;
  /** Label of the date, which replaces the durations. */
  readonly dateLabel: string;
  readonly value: Span;
  readonly onChange: (value: Span) => void;
  readonly error?: string | undefined;
  readonly disabled?: boolean;
}

/** Chooses the length of access: common durations as chips, or a fixed end. */
export function LengthField({
  label,
  dateLabel,
  value,
  onChange,
  error,
  disabled = false,
}: LengthFieldProps) {
  const minutes = 'minutes' in value ? value.minutes : undefined;
  const offered = [...new Set([...LENGTHS, ...(minutes ? [minutes] : [])])].toSorted(
    (a, b) => a - b,
  );
  const chip = (key: string, isChosen: boolean, text: string, choose: () => void) => (
    <Button
      key={key}
      size="xs"
      radius="xl"
      variant={isChosen ? 'filled' : 'default'}
      fw={500}
      disabled={disabled}
      aria-pressed={isChosen}
      onClick={choose}
    >
      {text}
    </Button>
  );
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      {...('minutes' in value && error && { error })}
      required
    >
      <Group gap={6} role="group" aria-label={label} mt={4}>
        {offered.map((one) =>
          chip(String(one), one === minutes, lengthText(one), () => onChange({ minutes: one })),
        )}
        {chip('until', minutes === undefined, t(words.untilDate), () =>
          onChange({ until: new Date(Date.now() + (minutes ?? 60) * 60_000).toISOString() }),
        )}
      </Group>
      {'until' in value && (
        <div style={{ marginTop: 8 }}>
          <DateTimeField
            label={dateLabel}
            value={value.until}
            onChange={(until) => onChange({ until })}
            error={error}
            disabled={disabled}
            isEnd
            mustEnd
            required
          />
        </div>
      )}
    </Input.Wrapper>
  );
}
