import { Button, Modal, NativeSelect, NumberInput, Stack, Switch } from '@mantine/core';
import { common, t } from '../../kit/i18n/index.ts';
import { DEFAULT_SETTINGS, FONT_SIZES, readSettings, SCROLLBACKS, type TerminalScheme, type TerminalSettings } from '../settings/settings.ts';
import { settingsStore, useSettings } from '../settings/settings-store.ts';
import { words as windowWords } from '../words.ts';
import styles from './Workspace.module.css';
import { words } from './words.ts';

const SWITCHES = ['copyOnSelect', 'rightClickPastes', 'browserKeys', 'confirmMultilinePaste'] as const satisfies readonly (keyof TerminalSettings)[];
const DISPLAY_SWITCHES = ['cursorBlink', 'visualBell', 'screenReader'] as const satisfies readonly (keyof TerminalSettings)[];
const SCHEMES: readonly { readonly value: TerminalScheme; readonly label: string }[] = [
  { value: 'auto', label: t(words.schemeAuto) },
  { value: 'dark', label: t(words.schemeDark) },
  { value: 'light', label: t(words.schemeLight) },
];

/** The settings of the terminals. Each takes effect at once, in every open terminal. */
export function SettingsDialog({ onClose }: { readonly onClose: () => void }) {
  const settings = useSettings();
  const toggles = (names: typeof SWITCHES | typeof DISPLAY_SWITCHES) =>
    names.map((name) => (
      <Switch key={name} label={t(words[name])} checked={settings[name]} onChange={(event) => settingsStore.change({ [name]: event.currentTarget.checked })} />
    ));
  return (
    <Modal opened onClose={onClose} title={t(windowWords.settings)} size="md" closeButtonProps={{ 'aria-label': t(common.close) }}>
      <Stack gap="md">
        <section className={styles.settings}>
          <h3>{t(words.display)}</h3>
          <Stack gap="sm">
            <NumberInput
              label={t(words.fontSize)}
              min={FONT_SIZES.smallest}
              max={FONT_SIZES.largest}
              allowDecimal={false}
              value={settings.fontSize}
              onChange={(value) => typeof value === 'number' && settingsStore.change({ fontSize: value })}
            />
            <NativeSelect
              label={t(words.scheme)}
              data={[...SCHEMES]}
              value={settings.scheme}
              onChange={(event) => settingsStore.change(readSettings({ ...settings, scheme: event.currentTarget.value }))}
            />
            <NativeSelect
              label={t(words.scrollback)}
              data={SCROLLBACKS.map((lines) => ({ value: String(lines), label: lines.toLocaleString() }))}
              value={String(settings.scrollback)}
              onChange={(event) => settingsStore.change({ scrollback: Number(event.currentTarget.value) })}
            />
            {toggles(DISPLAY_SWITCHES)}
          </Stack>
        </section>
        <section className={styles.settings}>
          <h3>{t(words.behaviour)}</h3>
          <Stack gap="sm">{toggles(SWITCHES)}</Stack>
        </section>
        <Button
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => settingsStore.change({ ...DEFAULT_SETTINGS, panelWidth: settings.panelWidth, panelOpen: settings.panelOpen })}
        >
          {t(words.usual)}
        </Button>
      </Stack>
    </Modal>
  );
}
