import { Text, Title } from '@mantine/core';

/** The heading of a step, and a sentence on what it is for. */
export function StepHead({ title, hint }: { readonly title: string; readonly hint?: string }) {
  return (
    <div>
      <Title order={1} fz="1.5rem">
        {title}
      </Title>
      {hint && (
        <Text c="dimmed" mt={4}>
          {hint}
        </Text>
      )}
    </div>
  );
}
