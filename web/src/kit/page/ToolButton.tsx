import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core';
import type { ComponentProps } from 'react';

interface LabelProps extends ActionIconProps {
  /** The name for screen readers, and the tooltip unless `tip` says more. */
  readonly label: string;
  readonly tip?: string;
}

/** A button that shows only an icon: its label is a tooltip. */
export function ToolButton({
  label,
  tip = label,
  ...rest
}: LabelProps & Omit<ComponentProps<'button'>, keyof ActionIconProps>) {
  return (
    <Tooltip label={tip}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} {...rest} />
    </Tooltip>
  );
}

/** A link that shows only an icon: its label is a tooltip. */
export function ToolLink({
  label,
  tip = label,
  ...rest
}: LabelProps & Omit<ComponentProps<'a'>, keyof ActionIconProps>) {
  return (
    <Tooltip label={tip}>
      <ActionIcon component="a" variant="subtle" color="gray" aria-label={label} {...rest} />
    </Tooltip>
  );
}
