import {
  Button,
  Modal,
  NativeSelect,
  NumberInput,
  Stack,
  Switch,
  TextInput,
  useComputedColorScheme,
} from '@mantine/core';
import { KEYBOARD_LAYOUTS, keyboardLayoutFor, keyboardLayoutOf } from '@sallyport/contract';
import { useMemo } from 'react';
import { common, language, t } from '../../kit/i18n/index.ts';
import {
  CURSOR_STYLES,
  DEFAULT_SETTINGS,
  FONT_SIZES,
  FONTS,
  LINE_HEIGHTS,
  readSettings,
  SCROLLBACKS,
  type TerminalSettings,
  WORD_SEPARATORS_MAX,
} from '../settings/settings.ts';
import { settingsStore, useSettings } from '../settings/settings-store.ts';
import { words as windowWords } from '../words.ts';
import { SchemePicker, TerminalPreview } from './SchemePicker.tsx';
import styles from './Workspace.module.css';
import { words } from './words.ts';

const SAMPLE = 'mmmmiiiiWWWW0011';

/**
 * Returns the installed fonts of the list. Text in an installed font has another width than in one
 * of the two fallback fonts.
 */
function installedFonts(): readonly string[] {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return FONTS;
  const width = (family: string): number => {
    context.font = `32px ${family}`;
    return context.measureText(SAMPLE).width;
  };
  return FONTS.filter(
    (font) =>
      font === '' ||
      ['serif', 'sans-serif'].some(
        (fallback) => width(`"${font}", ${fallback}`) !== width(fallback),
      ),
  );
}

const SWITCHES = [
  'copyOnSelect',
  'rightClickPastes',
  'browserKeys',
  'confirmMultilinePaste',
] as const satisfies readonly (keyof TerminalSettings)[];

const DISPLAY_SWITCHES = [
  'cursorBlink',
  'visualBell',
  'screenReader',
] as const satisfies readonly (keyof TerminalSettings)[];

const CURSORS = {
  block: words.cursorBlock,
  bar: words.cursorBar,
  underline: words.cursorUnderline,
} as const;

/** Names of the keyboard layouts. */
function layoutChoices() {
  const names = new Intl.DisplayNames([language], {
    type: 'language',
    languageDisplay: 'standard',
  });
  const layoutName = (layout: string) => names.of(layout) ?? layout;
  const automatic = keyboardLayoutFor(navigator.languages);
  return [
    {
      value: '',
      label: automatic
        ? t(words.keyboardAutomatic, { layout: layoutName(automatic) })
        : t(words.keyboardServer),
    },
    ...Object.keys(KEYBOARD_LAYOUTS).map((layout) => ({
      value: layout,
      label: layoutName(layout),
    })),
  ];
}

interface SectionProps {
  readonly settings: TerminalSettings;
}

function Switches({
  names,
  settings,
}: SectionProps & { readonly names: typeof SWITCHES | typeof DISPLAY_SWITCHES }) {
  return names.map((name) => (
    <Switch
      key={name}
      label={t(words[name])}
      checked={settings[name]}
      onChange={(event) => settingsStore.change({ [name]: event.currentTarget.checked })}
    />
  ));
}

function DisplaySection({ settings }: SectionProps) {
  const page = useComputedColorScheme('dark', { getInitialValueInEffect: false });
  const fonts = useMemo(installedFonts, []);
  return (
    <section className={styles.settings}>
      <h3>{t(words.display)}</h3>
      <Stack gap="sm">
        <SchemePicker chosen={settings.scheme} page={page} />
        <TerminalPreview
          settings={settings}
          scheme={settings.scheme === 'auto' ? page : settings.scheme}
        />
        <NumberInput
          label={t(words.fontSize)}
          min={FONT_SIZES.smallest}
          max={FONT_SIZES.largest}
          allowDecimal={false}
          value={settings.fontSize}
          onChange={(value) =>
            typeof value === 'number' && settingsStore.change({ fontSize: value })
          }
        />
        <NativeSelect
          label={t(words.font)}
          data={fonts.map((font) => ({ value: font, label: font || t(words.fontSystem) }))}
          value={settings.font}
          onChange={(event) => settingsStore.change({ font: event.currentTarget.value })}
        />
        <NativeSelect
          label={t(words.lineHeight)}
          data={LINE_HEIGHTS.map((height) => ({
            value: String(height),
            label: height.toFixed(1),
          }))}
          value={String(settings.lineHeight)}
          onChange={(event) =>
            settingsStore.change({ lineHeight: Number(event.currentTarget.value) })
          }
        />
        <NativeSelect
          label={t(words.cursorStyle)}
          data={CURSOR_STYLES.map((style) => ({ value: style, label: t(CURSORS[style]) }))}
          value={settings.cursorStyle}
          onChange={(event) =>
            settingsStore.change(
              readSettings({ ...settings, cursorStyle: event.currentTarget.value }),
            )
          }
        />
        <NativeSelect
          label={t(words.scrollback)}
          data={SCROLLBACKS.map((lines) => ({
            value: String(lines),
            label: lines.toLocaleString(),
          }))}
          value={String(settings.scrollback)}
          onChange={(event) =>
            settingsStore.change({ scrollback: Number(event.currentTarget.value) })
          }
        />
        <Switches names={DISPLAY_SWITCHES} settings={settings} />
      </Stack>
    </section>
  );
}

function BehaviorSection({ settings }: SectionProps) {
  return (
    <section className={styles.settings}>
      <h3>{t(words.behavior)}</h3>
      <Stack gap="sm">
        <Switches names={SWITCHES} settings={settings} />
        <TextInput
          label={t(words.wordSeparators)}
          value={settings.wordSeparators}
          maxLength={WORD_SEPARATORS_MAX}
          spellCheck={false}
          onChange={(event) => settingsStore.change({ wordSeparators: event.currentTarget.value })}
        />
      </Stack>
    </section>
  );
}

function DesktopSection({ settings }: SectionProps) {
  const layouts = useMemo(layoutChoices, []);
  return (
    <section className={styles.settings}>
      <h3>{t(words.desktops)}</h3>
      <Stack gap="sm">
        <NativeSelect
          label={t(words.keyboardLayout)}
          description={t(words.keyboardLayoutHint)}
          data={layouts}
          value={settings.keyboardLayout}
          onChange={(event) =>
            settingsStore.change({
              keyboardLayout: keyboardLayoutOf(event.currentTarget.value) ?? '',
            })
          }
        />
        <Switch
          label={t(words.fewColors)}
          description={t(words.fewColorsHint)}
          checked={settings.fewColors}
          onChange={(event) => settingsStore.change({ fewColors: event.currentTarget.checked })}
        />
      </Stack>
    </section>
  );
}

/** Settings of terminals and desktops. Open terminals apply theirs immediately. */
export function SettingsDialog({ onClose }: { readonly onClose: () => void }) {
  const settings = useSettings();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(windowWords.settings)}
      size="md"
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <Stack gap="md">
        <DisplaySection settings={settings} />
        <BehaviorSection settings={settings} />
        <DesktopSection settings={settings} />
        <Button
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          onClick={() =>
            settingsStore.change({
              ...DEFAULT_SETTINGS,
              panelWidth: settings.panelWidth,
              panelOpen: settings.panelOpen,
            })
          }
        >
          {t(words.usual)}
        </Button>
      </Stack>
    </Modal>
  );
}
