import { ActionIcon, Popover, Tooltip } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import { onApproach } from '../../base/navigation.tsx';

interface LazyToolProps<P> {
  readonly label: string;
  readonly icon: ComponentType<{ readonly size?: number | string }>;
  /** Loads the content of the popover on first use. */
  readonly load: () => Promise<ComponentType<P>>;
  readonly props: P;
}

/** A toolbar button that opens a popover; the code of the popover loads on first use. */
export function LazyTool<P extends object>({ label, icon: Icon, load, props }: LazyToolProps<P>) {
  const [open, setOpen] = useState(false);
  const [Body, setBody] = useState<ComponentType<P>>();

  async function toggle() {
    if (!Body) {
      const loaded = await load();
      setBody(() => loaded);
    }
    setOpen(!open);
  }

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
          <ActionIcon
            variant="default"
            size={34}
            aria-label={label}
            onClick={() => void toggle()}
            {...onApproach(() => void load().catch(() => undefined))}
          >
            <Icon size={16} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={label} maw="calc(100vw - 24px)">
        {Body && <Body {...props} />}
      </Popover.Dropdown>
    </Popover>
  );
}
