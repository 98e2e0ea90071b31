import { Button, Stack, Text, Title } from '@mantine/core';
import { Component, type ErrorInfo, type ReactNode } from 'react';
import { common, t } from '../i18n/index.ts';

/** Replaces a page that threw, with the error and a way to continue. */
export function Crashed({ error }: { readonly error: Error }) {
  return (
    <Stack align="center" gap="sm" p="xl" role="alert">
      <Title order={1}>{t(common.crashed)}</Title>
      <Text c="dimmed">{t(common.crashedHint)}</Text>
      <Text ff="monospace" size="xs" c="dimmed">
        {error.message}
      </Text>
      <Button onClick={() => location.reload()}>{t(common.reload)}</Button>
    </Stack>
  );
}

/** Confines a crash to its children, so the rest of the page survives. */
export class ErrorBoundary extends Component<
  { readonly children: ReactNode },
  { readonly error?: Error }
> {
  override state: { readonly error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch(error: Error, info: ErrorInfo) {
    console.error(error, info.componentStack);
  }

  override render() {
    return this.state.error ? <Crashed error={this.state.error} /> : this.props.children;
  }
}
