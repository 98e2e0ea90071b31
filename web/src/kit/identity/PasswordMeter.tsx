import { Box, Group, Progress, Text } from '@mantine/core';
import { t } from '../i18n/index.ts';
import { IconCheck, IconX } from '../icons.ts';
import { type PasswordRule, ruleStates } from './password-rules.ts';
import { passwordStrength, STRENGTH_WORDS } from './password-strength.ts';
import { words } from './words.ts';

const COLORS = ['gray', 'red', 'yellow', 'teal', 'green'] as const;

/** Shows the strength of a password, and ticks off its rules during typing. */
export function PasswordMeter({
  password,
  rule,
}: {
  readonly password: string;
  readonly rule: PasswordRule;
}) {
  const level = passwordStrength(password);
  return (
    <Box mt={8}>
      <Group gap="xs" mb={6} wrap="nowrap">
        <Progress
          value={level * 25}
          size={4}
          color={COLORS[level]}
          aria-label={t(words.strength)}
          style={{ flex: 1 }}
        />
        <Text fz="xs" c="dimmed" component="span" aria-live="polite">
          {level !== 0 && `${t(words.strength)}: ${t(STRENGTH_WORDS[level])}`}
        </Text>
      </Group>
      <ul aria-label={t(words.rules)} style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {ruleStates(password, rule).map(({ text, min, met }) => (
          <Text
            component="li"
            key={text.en}
            fz="xs"
            c={met ? 'green' : 'dimmed'}
            style={{ display: 'flex', gap: 4, alignItems: 'center' }}
          >
            {met ? (
              <IconCheck size={12} aria-label={t(words.met)} />
            ) : (
              <IconX size={12} aria-label={t(words.notMet)} />
            )}
            {t(text, min === undefined ? {} : { min })}
          </Text>
        ))}
      </ul>
    </Box>
  );
}
