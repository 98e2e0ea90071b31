import 'dayjs/locale/zh-cn';
import '@mantine/dates/styles.layer.css';
import { DatesProvider, DateTimePicker } from '@mantine/dates';
import { parseDatetime } from '@sallyport/contract';
import { language, t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

interface DateTimeFieldProps {
  readonly label: string;
  /** A moment, as the server writes it or as ISO; empty for none. */
  readonly value: string;
  /** Gets ISO, or the empty text. */
  readonly onChange: (value: string) => void;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly required?: boolean;
  readonly disabled?: boolean;
  /** The time of day that a newly picked day gets. */
  readonly time?: string;
}

const SETTINGS = { locale: language === 'zh' ? 'zh-cn' : 'en', firstDayOfWeek: 1 as const };
const pad = (number: number) => String(number).padStart(2, '0');

/** The picker's own writing of a moment, in the time of this browser. */
function toLocal(value: string): string | null {
  const date = value ? (parseDatetime(value) ?? new Date(value)) : undefined;
  if (!date || Number.isNaN(date.getTime())) return null;
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** Date and time by calendar and clock. It comes with its calendar in a file of its own, loaded when a page needs one. */
export function DateTimeField({ label, value, onChange, description, error, required = false, disabled = false, time }: DateTimeFieldProps) {
  return (
    <DatesProvider settings={SETTINGS}>
      <DateTimePicker
        label={label}
        description={description}
        error={error}
        withAsterisk={required}
        disabled={disabled}
        clearable={!required}
        withSeconds
        valueFormat="YYYY-MM-DD HH:mm:ss"
        placeholder={t(words.pickDate)}
        {...(time && { defaultTimeValue: time })}
        value={toLocal(value)}
        onChange={(chosen) => onChange(chosen ? new Date(chosen.replace(' ', 'T')).toISOString() : '')}
        popoverProps={{ withinPortal: true }}
        submitButtonProps={{ 'aria-label': t(words.pickDate) }}
        clearButtonProps={{ 'aria-label': `${t(words.clear)} ${label}` }}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
      />
    </DatesProvider>
  );
}
