import { Button, Menu } from '@mantine/core';
import type { Language } from '@sallyport/contract';
import { chooseLanguage, common, LANGUAGE_NAMES, language, t } from '../i18n/index.ts';
import { IconCheck, IconLanguage } from '../icons.ts';

const LANGUAGES: readonly Language[] = ['zh', 'en'];

/** Switches between Chinese and English; reloads the page in the chosen language. */
export function LanguageSwitch({ color = 'gray' }: { readonly color?: string }) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          variant="subtle"
          color={color}
          px={8}
          leftSection={<IconLanguage size={18} />}
          aria-label={`${t(common.language)}: ${LANGUAGE_NAMES[language]}`}
        >
          <span data-wide-only>{LANGUAGE_NAMES[language]}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {LANGUAGES.map((value) => (
          <Menu.Item
            key={value}
            rightSection={value === language ? <IconCheck size={14} /> : null}
            onClick={() => chooseLanguage(value)}
          >
            {LANGUAGE_NAMES[value]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
