import { SegmentedControl, Text, useMantineColorScheme } from '@mantine/core';
import type { Language } from '@sallyport/contract';
import { type ReactNode, useId } from 'react';
import { chooseLanguage, common, LANGUAGE_NAMES, language, t } from '../../../kit/i18n/index.ts';
import type { ThemeChoice } from '../../../kit/page/ThemeSwitch.tsx';
import { usePreferences } from '../../base/preferences.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Rows.module.css';
import { words } from './words.ts';

function Choice<V extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  readonly label: string;
  readonly value: V;
  readonly choices: readonly { readonly value: V; readonly label: string }[];
  readonly onChange: (value: V) => void;
}): ReactNode {
  const id = useId();
  return (
    <div className={styles.row}>
      <Text id={id} component="span" className={styles.what}>
        {label}
      </Text>
      <SegmentedControl<V>
        aria-labelledby={id}
        size="xs"
        data={[...choices]}
        value={value}
        onChange={onChange}
      />
    </div>
  );
}

/** Display preferences of the user. */
export function Preferences() {
  const { preferences, save } = usePreferences();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div className={styles.narrow}>
      <Card title={t(words.preferences)}>
        <Choice<Language>
          label={t(words.language)}
          value={language}
          choices={(['zh', 'en'] as const).map((value) => ({
            value,
            label: LANGUAGE_NAMES[value],
          }))}
          onChange={chooseLanguage}
        />
        <Choice<ThemeChoice>
          label={t(words.theme)}
          value={colorScheme}
          choices={[
            { value: 'light', label: t(common.themeLight) },
            { value: 'dark', label: t(common.themeDark) },
            { value: 'auto', label: t(common.themeAuto) },
          ]}
          onChange={(theme) => {
            setColorScheme(theme);
            save({ theme });
          }}
        />
        <Choice<'comfortable' | 'compact'>
          label={t(words.density)}
          value={preferences.density ?? 'comfortable'}
          choices={[
            { value: 'comfortable', label: t(words.comfortable) },
            { value: 'compact', label: t(words.compact) },
          ]}
          onChange={(density) => save({ density })}
        />
        <Choice<'shown' | 'hidden'>
          label={t(words.visitedPages)}
          value={preferences.visited_pages ?? 'shown'}
          choices={[
            { value: 'shown', label: t(words.shown) },
            { value: 'hidden', label: t(words.hidden) },
          ]}
          onChange={(visited_pages) => save({ visited_pages })}
        />
        <Text className={styles.row} fz="sm" c="dimmed">
          {t(words.preferencesHint)}
        </Text>
      </Card>
    </div>
  );
}
