import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { setDocumentTitle } from '../../kit/page/brand.ts';
import { Mark } from '../../kit/page/Mark.tsx';
import { useGoButton } from '../base/navigation.tsx';
import { words } from '../base/words.ts';

/** Shown for unknown addresses and for pages that the role may not open. */
export function NotFoundPage() {
  const goButton = useGoButton();
  // The title still names the page that the address asked for.
  useEffect(() => setDocumentTitle(t(words.notFound)), []);
  return (
    <Center mih="100vh" component="main">
      <Stack align="center" gap="sm" p="md">
        <Mark size={56} />
        <Text ff="monospace" c="dimmed">
          404
        </Text>
        <Title order={1}>{t(words.notFound)}</Title>
        <Text c="dimmed" ta="center">
          {t(words.notFoundHint)}
        </Text>
        <Button mt="sm" {...goButton('/')}>
          {t(words.home)}
        </Button>
      </Stack>
    </Center>
  );
}
