import { Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { MAIL_MODES, type MailMode, type MailTimes, parseMailTimes } from '@sallyport/contract';
import { timeZone } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { usePreferences } from '../../base/preferences.ts';
import { words } from './words.ts';

const MODES: Readonly<Record<MailMode, (typeof words)[keyof typeof words]>> = {
  always: words.mailAlways,
  outside: words.mailOutside,
  daily: words.mailDaily,
};

const USUAL = { mode: 'always', from: '20:00', to: '08:00' } as const;

/** The user's choice when mails are sent: at once, outside of quiet hours, or once a day. */
export function MailTimesLine() {
  const { preferences, loaded, save } = usePreferences();
  const times = parseMailTimes(preferences.mail_times) ?? { ...USUAL, zone: timeZone() };
  const change = (part: Partial<MailTimes>) => {
    const next = parseMailTimes({ ...times, ...part, zone: timeZone() });
    if (next) save({ mail_times: next });
  };
  return (
    <Group gap="sm" mb="sm" align="end" role="group" aria-label={t(words.mails)}>
      <NativeSelect
        label={t(words.mails)}
        size="xs"
        disabled={!loaded}
        value={times.mode}
        data={MAIL_MODES.map((mode) => ({ value: mode, label: t(MODES[mode]) }))}
        onChange={({ currentTarget }) =>
          change({ mode: MAIL_MODES.find((mode) => mode === currentTarget.value) ?? 'always' })
        }
      />
      {times.mode === 'outside' && (
        <TextInput
          type="time"
          size="xs"
          label={t(words.mailFrom)}
          value={times.from}
          onChange={({ currentTarget }) => change({ from: currentTarget.value })}
        />
      )}
      {times.mode !== 'always' && (
        <TextInput
          type="time"
          size="xs"
          label={t(times.mode === 'daily' ? words.mailAt : words.mailTo)}
          value={times.to}
          onChange={({ currentTarget }) => change({ to: currentTarget.value })}
        />
      )}
      <Text fz="xs" c="dimmed">
        {t(words.mailHint)}
      </Text>
    </Group>
  );
}
