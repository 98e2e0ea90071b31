import { TagsInput, type TagsInputProps } from '@mantine/core';
import { isComposing } from './composing.ts';

/**
 * A field for several texts, each ended with Enter. Leaves the Enter of an input method to it:
 * Mantine would add the half-written text in Safari, which reports the key after the composition.
 */
export function TagsField({ onKeyDown, ...props }: TagsInputProps) {
  return (
    <TagsInput
      {...props}
      onKeyDown={(event) => {
        if (isComposing(event)) event.stopPropagation();
        else onKeyDown?.(event);
      }}
    />
  );
}
