import type { LocalText } from '@sallyport/contract';
import type { CSSProperties } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { fontStack, paletteOf, type SchemeName } from '../../kit/page/palettes.ts';
import { SCHEME_NAMES, type TerminalScheme, type TerminalSettings } from '../settings/settings.ts';
import { settingsStore } from '../settings/settings-store.ts';
import styles from './Settings.module.css';
import { words } from './words.ts';

const LABELS: Readonly<Record<TerminalScheme, LocalText>> = {
  auto: words.schemeAuto,
  dark: words.schemeDark,
  light: words.schemeLight,
  black: words.schemeBlack,
  forest: words.schemeForest,
  plum: words.schemePlum,
  amber: words.schemeAmber,
  sepia: words.schemeSepia,
  contrast: words.schemeContrast,
};

const HUES = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const;

/** The color schemes as small pictures of themselves. */
export function SchemePicker({
  chosen,
  page,
}: {
  readonly chosen: TerminalScheme;
  readonly page: 'light' | 'dark';
}) {
  return (
    <fieldset className={styles.schemes}>
      <legend>{t(words.scheme)}</legend>
      {(['auto', ...SCHEME_NAMES] as const).map((name) => {
        const palette = paletteOf(name === 'auto' ? page : name);
        return (
          <label key={name} style={{ color: palette.foreground, background: palette.background }}>
            <input
              type="radio"
              name="scheme"
              value={name}
              checked={chosen === name}
              onChange={() => settingsStore.change({ scheme: name })}
            />
            <span>{t(LABELS[name])}</span>
            <i aria-hidden="true">
              {HUES.map((hue) => (
                <b key={hue} style={{ background: palette[hue] }} />
              ))}
            </i>
          </label>
        );
      })}
    </fieldset>
  );
}

/** A preview of a terminal with these settings. */
export function TerminalPreview({
  settings,
  scheme,
}: {
  readonly settings: TerminalSettings;
  readonly scheme: SchemeName;
}) {
  const palette = paletteOf(scheme);
  const look: CSSProperties = {
    color: palette.foreground,
    background: palette.background,
    fontFamily: fontStack(settings.font),
    fontSize: Math.min(settings.fontSize, 22),
    lineHeight: settings.lineHeight * 1.2,
  };
  return (
    <pre className={styles.preview} style={look} aria-hidden="true">
      <span style={{ color: palette.green }}>ops@web-01</span>:
      <span style={{ color: palette.blue }}>~</span>$ ls -l{'\n'}
      drwxr-xr-x 2 ops 4096 <span style={{ color: palette.cyan }}>logs</span>
      {'\n'}-rw-r--r-- 1 ops 812 <span style={{ color: palette.red }}>backup.tgz</span>{' '}
      <span style={{ color: palette.yellow }}>日志</span>
      {'\n'}
      <span style={{ color: palette.green }}>ops@web-01</span>:
      <span style={{ color: palette.blue }}>~</span>${' '}
      <span
        className={styles.cursor}
        data-shape={settings.cursorStyle}
        style={{ '--cursor': palette.cursor } as CSSProperties}
      />
    </pre>
  );
}
