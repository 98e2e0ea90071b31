import { ActionIcon, Popover, Tooltip } from '@mantine/core';
import { type ComponentType, type ReactNode, useState } from 'react';

interface PopoverToolProps {
  readonly label: string;
  readonly icon: ComponentType<{ readonly size?: number | string }>;
  readonly children: ReactNode;
}

/** A toolbar button that opens a popover. */
export function PopoverTool({ label, icon: Icon, children }: PopoverToolProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-end"
      withinPortal
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Tooltip label={label} disabled={open}>
          <ActionIcon variant="default" size={34} aria-label={label} onClick={() => setOpen(!open)}>
            <Icon size={16} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={label} maw="calc(100vw - 24px)">
        {children}
      </Popover.Dropdown>
    </Popover>
  );
}
