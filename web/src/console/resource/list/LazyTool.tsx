import { ActionIcon, Button, Popover, Tooltip } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import { IconClock } from '../../../kit/icons.ts';
import { onApproach } from '../../base/navigation.tsx';
import { type DateRange, rangeText } from './search/dates.ts';

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

/** Placeholder of the time range button while its code loads; avoids layout shift. */
export function DateRangeWaiting(range: DateRange) {
  return (
    <Button
      variant="default"
      size="sm"
      fw={400}
      leftSection={<IconClock size={16} />}
      style={{ visibility: 'hidden' }}
      aria-hidden="true"
    >
      <span className="mono">{rangeText(range)}</span>
    </Button>
  );
}
