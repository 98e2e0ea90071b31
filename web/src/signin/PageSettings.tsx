import { NativeSelect, useMantineColorScheme } from '@mantine/core';
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

/** Language and theme of the sign-in pages. The browser's own selects: menus would double what the first page loads. */
export function PageSettings() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div className={styles.settings}>
      <NativeSelect
        variant="unstyled"
        aria-label={t(common.language)}
        leftSection={<IconLanguage size={18} />}
        data={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        value={language}
        onChange={(event) => {
          const chosen = LANGUAGES.find((value) => value === event.currentTarget.value);
          if (chosen) chooseLanguage(chosen);
        }}
      />
      <NativeSelect
        variant="unstyled"
        aria-label={t(common.theme)}
        leftSection={<IconSunMoon size={18} />}
        data={THEMES.map(({ value, label }) => ({ value, label: t(label) }))}
        value={colorScheme}
        onChange={(event) => {
          const chosen = THEMES.find(({ value }) => value === event.currentTarget.value);
          if (chosen) setColorScheme(chosen.value);
        }}
      />
    </div>
  );
}
