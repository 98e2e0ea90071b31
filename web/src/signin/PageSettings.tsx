import { Input, useMantineColorScheme } from '@mantine/core';
import type { Language } from '@sallyport/contract';
import { chooseLanguage, common, LANGUAGE_NAMES, language, t } from '../kit/i18n/index.ts';
import { IconLanguage, IconSunMoon } from '../kit/icons.ts';
import styles from './PageSettings.module.css';

const LANGUAGES: readonly Language[] = ['zh', 'en'];
const THEMES = [
  { value: 'light', label: common.themeLight },
  { value: 'dark', label: common.themeDark },
  { value: 'auto', label: common.themeAuto },
] as const;

/**
 * Language and theme of the sign-in pages. Native selects: menus would double the size of the first
 * load.
 */
export function PageSettings() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div className={styles.settings}>
      <Input
        component="select"
        pointer
        variant="unstyled"
        aria-label={t(common.language)}
        leftSection={<IconLanguage size={18} />}
        value={language}
        onChange={(event) => {
          const chosen = LANGUAGES.find((value) => value === event.currentTarget.value);
          if (chosen) chooseLanguage(chosen);
        }}
      >
        {LANGUAGES.map((value) => (
          <option key={value} value={value}>
            {LANGUAGE_NAMES[value]}
          </option>
        ))}
      </Input>
      <Input
        component="select"
        pointer
        variant="unstyled"
        aria-label={t(common.theme)}
        leftSection={<IconSunMoon size={18} />}
        value={colorScheme}
        onChange={(event) => {
          const chosen = THEMES.find(({ value }) => value === event.currentTarget.value);
          if (chosen) setColorScheme(chosen.value);
        }}
      >
        {THEMES.map(({ value, label }) => (
          <option key={value} value={value}>
            {t(label)}
          </option>
        ))}
      </Input>
    </div>
  );
}
