import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { common, t } from '../i18n/index.ts';
import { IconCheck, IconMoon, IconSun, IconSunMoon } from '../icons.ts';

const CHOICES = [
  { value: 'light', label: common.themeLight, Icon: IconSun },
  { value: 'dark', label: common.themeDark, Icon: IconMoon },
  { value: 'auto', label: common.themeAuto, Icon: IconSunMoon },
] as const;

export type ThemeChoice = (typeof CHOICES)[number]['value'];

/**
 * Switches between light, dark and system theme; `onChoose` lets a page store the choice elsewhere.
 */
export function ThemeSwitch({
  onChoose,
  color = 'gray',
}: {
  readonly onChoose?: (choice: ThemeChoice) => void;
  readonly color?: string;
}) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Current = CHOICES.find((choice) => choice.value === colorScheme)?.Icon ?? IconSunMoon;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color={color} size="lg" aria-label={t(common.theme)}>
          <Current size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {CHOICES.map(({ value, label, Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} />}
            rightSection={value === colorScheme ? <IconCheck size={14} /> : null}
            onClick={() => {
              setColorScheme(value);
              onChoose?.(value);
            }}
          >
            {t(label)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
