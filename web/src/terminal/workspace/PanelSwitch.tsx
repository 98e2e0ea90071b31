import { t } from '../../kit/i18n/index.ts';
import { ToolButton } from '../../kit/page/ToolButton.tsx';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '../icons.ts';
import { words } from '../words.ts';

interface Props {
  /** The panel is next to the page. On a narrow window it is a drawer over the page instead. */
  readonly isDocked: boolean;
  readonly isOpen: boolean;
  readonly onClick: () => void;
}

/** The button at the left of a bar that shows or hides the asset panel. */
export function PanelSwitch({ isDocked, isOpen, onClick }: Props) {
  const Icon = isDocked ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand;
  return (
    <ToolButton
      label={t(isDocked ? words.hidePanel : words.showPanel)}
      size={32}
      aria-expanded={isOpen}
      onClick={onClick}
    >
      <Icon size={18} />
    </ToolButton>
  );
}
