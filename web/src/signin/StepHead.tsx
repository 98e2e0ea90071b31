import { Text, Title } from '@mantine/core';
import { useEffect, useRef } from 'react';

/**
 * The heading of a step with a hint. If no field takes the focus, the heading does, so that screen
 * readers announce the step.
 */
export function StepHead({ title, hint }: { readonly title: string; readonly hint?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, []);
  return (
    <div>
      <Title order={1} fz="1.5rem" ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
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
