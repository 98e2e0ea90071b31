import { Button, Fieldset, Group, Modal, NativeSelect, NumberInput, SegmentedControl, Stack, Switch, Text } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { DEFAULT_SETTINGS, FONT_SIZES, SCROLLBACKS, type TerminalScheme, type TerminalSettings } from '../settings/settings.ts';
import { settingsStore, useSettings } from '../settings/settings-store.ts';
import { settingsWords, workspaceWords } from '../words/workspace.ts';

const SWITCHES = ['copyOnSelect', 'rightClickPastes', 'browserKeys', 'confirmMultilinePaste'] as const satisfies readonly (keyof TerminalSettings)[];
const DISPLAY_SWITCHES = ['cursorBlink', 'visualBell', 'screenReader'] as const satisfies readonly (keyof TerminalSettings)[];
const SCHEMES: readonly { readonly value: TerminalScheme; readonly label: string }[] = [
  { value: 'auto', label: t(settingsWords.schemeAuto) },
  { value: 'dark', label: t(settingsWords.schemeDark) },
  { value: 'light', label: t(settingsWords.schemeLight) },
];

/** The settings of the terminals. Each takes effect at once, in every open terminal. */
export default function SettingsDialog({ onClose }: { readonly onClose: () => void }) {
  const settings = useSettings();
  const toggles = (names: typeof SWITCHES | typeof DISPLAY_SWITCHES) =>
    names.map((name) => (
      <Switch
        key={name}
        label={t(settingsWords[name])}
        checked={settings[name]}
        onChange={(event) => settingsStore.change({ [name]: event.currentTarget.checked })}
      />
    ));
  return (
    <Modal opened onClose={onClose} title={t(workspaceWords.settings)} centered size="md">
      <Stack gap="md">
        <Fieldset legend={t(settingsWords.display)}>
          <Stack gap="sm">
            <NumberInput
              label={t(settingsWords.fontSize)}
              min={FONT_SIZES.smallest}
              max={FONT_SIZES.largest}
              allowDecimal={false}
              value={settings.fontSize}
              onChange={(value) => typeof value === 'number' && settingsStore.change({ fontSize: value })}
            />
            <div>
              <Text size="sm" fw={500} mb={4}>
                {t(settingsWords.scheme)}
              </Text>
              <SegmentedControl
                fullWidth
                aria-label={t(settingsWords.scheme)}
                data={[...SCHEMES]}
                value={settings.scheme}
                onChange={(scheme) => settingsStore.change({ scheme })}
              />
            </div>
            <NativeSelect
              label={t(settingsWords.scrollback)}
              data={SCROLLBACKS.map((lines) => ({ value: String(lines), label: lines.toLocaleString() }))}
              value={String(settings.scrollback)}
              onChange={(event) => settingsStore.change({ scrollback: Number(event.currentTarget.value) })}
            />
            {toggles(DISPLAY_SWITCHES)}
          </Stack>
        </Fieldset>
        <Fieldset legend={t(settingsWords.behaviour)}>
          <Stack gap="sm">{toggles(SWITCHES)}</Stack>
        </Fieldset>
        <Group justify="flex-start">
          <Button
            variant="subtle"
            color="gray"
            onClick={() => settingsStore.change({ ...DEFAULT_SETTINGS, panelWidth: settings.panelWidth, panelOpen: settings.panelOpen })}
          >
            {t(settingsWords.usual)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
