import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core';
import { common, t } from '../i18n/index.ts';

const SANS = `'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Noto Sans SC', sans-serif`;
const MONO = `ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace`;

/** Ink-blue neutrals for text and lines on a light background. */
const gray: MantineColorsTuple = [
  '#f7f9fc',
  '#eef2f7',
  '#e2e8f1',
  '#cfd8e5',
  '#b3bfd0',
  '#8593a8',
  '#5b6a80',
  '#435166',
  '#27344a',
  '#0b1220',
];
/** The same ink for text (low numbers) and surfaces (high numbers) on a dark background. */
const dark: MantineColorsTuple = [
  '#dbe4f0',
  '#b6c3d6',
  '#93a3ba',
  '#64758f',
  '#2b3a52',
  '#223047',
  '#182338',
  '#0f1829',
  '#0b1220',
  '#070c16',
];
const teal: MantineColorsTuple = [
  '#effcf9',
  '#cbf5ec',
  '#99ebdc',
  '#5edac8',
  '#2dc4b2',
  '#14a89a',
  '#0d9488',
  '#0f766e',
  '#115e59',
  '#134e4a',
];
const red: MantineColorsTuple = [
  '#fef2f2',
  '#fee2e2',
  '#fecaca',
  '#fca5a5',
  '#f87171',
  '#ef4444',
  '#dc2626',
  '#b91c1c',
  '#991b1b',
  '#7f1d1d',
];
const green: MantineColorsTuple = [
  '#f0fdf4',
  '#dcfce7',
  '#bbf7d0',
  '#86efac',
  '#4ade80',
  '#22c55e',
  '#16a34a',
  '#15803d',
  '#166534',
  '#14532d',
];
const yellow: MantineColorsTuple = [
  '#fffbeb',
  '#fef3c7',
  '#fde68a',
  '#fcd34d',
  '#fbbf24',
  '#f59e0b',
  '#d97706',
  '#b45309',
  '#92400e',
  '#78350f',
];
const blue: MantineColorsTuple = [
  '#eff6ff',
  '#dbeafe',
  '#bfdbfe',
  '#93c5fd',
  '#60a5fa',
  '#3b82f6',
  '#2563eb',
  '#1d4ed8',
  '#1e40af',
  '#1e3a8a',
];

/** The theme: ink-blue neutrals, one teal accent, a 4 px grid. */
export const theme = createTheme({
  colors: { gray, dark, teal, red, green, yellow, blue },
  primaryColor: 'teal',
  // The first shade that carries white text with the contrast of WCAG AA.
  primaryShade: 7,
  black: '#0b1220',
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  headings: {
    fontFamily: SANS,
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.25rem' }, h2: { fontSize: '1rem' }, h3: { fontSize: '0.875rem' } },
  },
  defaultRadius: 'md',
  radius: { xs: '2px', sm: '4px', md: '6px', lg: '8px', xl: '12px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    // Target size of WCAG 2.2 AA (2.5.8), with the default text size.
    Radio: {
      defaultProps: { size: 'md' },
      styles: { label: { fontSize: 'var(--mantine-font-size-sm)' } },
    },
    // Screen readers need a name for the close icon.
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': t(common.close) } } },
    Modal: {
      defaultProps: {
        closeButtonProps: { 'aria-label': t(common.close) },
        yOffset: '3vh',
        transitionProps: { duration: 120, transition: 'fade' },
      },
    },
    // A menu contains only its items, so the first one gets the focus.
    Menu: {
      defaultProps: {
        withInitialFocusPlaceholder: false,
        transitionProps: { duration: 80, transition: 'fade' },
        shadow: 'md',
      },
    },
    // Texts keep their case: states are written as in sentences.
    Badge: { defaultProps: { tt: 'none' } },
    Tooltip: { defaultProps: { transitionProps: { duration: 80 }, openDelay: 300 } },
  },
});

/**
 * Overrides colors of Mantine with too little contrast on our neutrals, and defines the surfaces of
 * our styles.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    '--app-sidebar': '#0b1220',
    '--app-sidebar-text': '#a9b8cc',
    '--app-sidebar-hover': '#162136',
    '--app-sidebar-active': '#5edac8',
  },
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-dimmed': '#56657b',
    '--mantine-color-placeholder': '#66758c',
    '--mantine-color-disabled-color': '#66758c',
    '--mantine-color-error': '#b91c1c',
    '--mantine-color-anchor': '#0f766e',
    '--app-sidebar-edge': 'transparent',
    '--app-page': '#f3f6fa',
    '--app-surface': '#ffffff',
    '--app-line': '#e2e8f1',
    '--app-row-hover': '#f5f8fb',
    '--app-row-selected': '#effcf9',
  },
  dark: {
    '--mantine-color-body': '#0f1829',
    '--mantine-color-text': '#dbe4f0',
    '--mantine-color-dimmed': '#9aaac0',
    '--mantine-color-placeholder': '#8a9ab1',
    '--mantine-color-disabled-color': '#8a9ab1',
    '--mantine-color-error': '#fca5a5',
    '--mantine-color-anchor': '#2dc4b2',
    '--mantine-color-teal-light-color': '#5edac8',
    '--mantine-color-red-light-color': '#fca5a5',
    '--mantine-color-gray-light-color': '#cfd8e5',
    '--app-sidebar-edge': '#223047',
    '--app-page': '#0b1220',
    '--app-surface': '#0f1829',
    '--app-line': '#223047',
    '--app-row-hover': '#152036',
    '--app-row-selected': '#10292f',
  },
});

/** Stores the color scheme in this browser; the console also stores it on the server. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'sallyport-theme' });

/** Sets the stored scheme before the first paint, so a dark page never flashes white. */
export function startTheme(): void {
  const chosen = colorSchemeManager.get('auto');
  const isDark =
    chosen === 'dark' || (chosen === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
}
