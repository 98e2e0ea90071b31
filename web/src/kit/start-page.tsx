import './styles.css';
import { MantineProvider } from '@mantine/core';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { startLanguage } from './i18n/index.ts';
import { colorSchemeManager, cssVariables, startTheme, theme } from './theme.ts';

/** Starts a page: language, theme, and a net under crashes. `around` is drawn next to the page and survives its crash. */
export function startPage(page: ReactNode, around?: ReactNode): void {
  startLanguage();
  startTheme();
  const root = document.getElementById('root');
  if (!root) throw new Error('the page has no root element');
  createRoot(root).render(
    <StrictMode>
      {/* All variables are made here: the sheet with the default ones would be loaded only to be overridden. */}
      <MantineProvider
        deduplicateCssVariables={false}
        theme={theme}
        cssVariablesResolver={cssVariables}
        colorSchemeManager={colorSchemeManager}
        defaultColorScheme="auto"
      >
        <ErrorBoundary>{page}</ErrorBoundary>
        {around}
      </MantineProvider>
    </StrictMode>,
  );
}
