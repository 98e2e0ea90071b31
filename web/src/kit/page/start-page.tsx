import '../styles.css';
import { MantineProvider } from '@mantine/core';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { leaveEscapeToInputMethods } from '../composing.ts';
import { startLanguage } from '../i18n/index.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { startFont } from './font.ts';
import { colorSchemeManager, cssVariables, startTheme, theme } from './theme.ts';

/**
 * Starts a page: language, theme and an error boundary. `around` renders next to the page and
 * survives its crash.
 */
export function startPage(page: ReactNode, around?: ReactNode): void {
  startLanguage();
  startTheme();
  startFont();
  leaveEscapeToInputMethods(window);
  const root = document.getElementById('root');
  if (!root) throw new Error('the page has no root element');
  createRoot(root).render(
    <StrictMode>
      {/*
       * Generate all variables: otherwise the page loads a sheet of defaults only to override them.
       */}
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
