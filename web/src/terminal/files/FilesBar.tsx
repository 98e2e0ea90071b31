import { ActionIcon, Tooltip } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { LanguageSwitch } from '../../kit/page/LanguageSwitch.tsx';
import { Mark } from '../../kit/page/Mark.tsx';
import { ThemeSwitch } from '../../kit/page/ThemeSwitch.tsx';
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconTerminal2,
} from '../icons.ts';
import type { GrantedLeaf } from '../tree/tree-rows.ts';
import { rememberTheme } from '../useProfile.ts';
import frame from '../Window.module.css';
import { words as terminalWords } from '../words.ts';
import { words } from './words.ts';

interface Props {
  readonly asset: GrantedLeaf | undefined;
  readonly panel: {
    /** The panel is a drawer over the page. */
    readonly isNarrow: boolean;
    readonly isOpen: boolean;
    readonly toggle: () => void;
  };
}

/** The bar above the file manager: its title, and the way to the console and to a terminal. */
export function FilesBar({ asset, panel }: Props) {
  const isDocked = panel.isOpen && !panel.isNarrow;
  const label = t(isDocked ? terminalWords.hidePanel : terminalWords.showPanel);
  const PanelIcon = isDocked ? IconLayoutSidebarLeftCollapse : IconLayoutSidebarLeftExpand;
  return (
    <header className={frame.bar}>
      <Tooltip label={label}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          aria-label={label}
          aria-expanded={panel.isOpen}
          onClick={panel.toggle}
        >
          <PanelIcon size={18} />
        </ActionIcon>
      </Tooltip>
      <a
        className={frame.brand}
        href="/ui/"
        aria-label={`Sallyport · ${t(terminalWords.console)}`}
        title={t(terminalWords.console)}
      >
        <Mark size={22} />
      </a>
      <span className={frame.barTitle}>
        <strong>{t(words.title)}</strong>
        {asset ? <span>{asset.hostname}</span> : null}
      </span>
      {asset ? (
        <Tooltip label={t(words.openTerminal)}>
          <ActionIcon
            component="a"
            href={`/luna/?login_to=${asset.id}`}
            target="_blank"
            rel="noopener"
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t(words.openTerminal)}
          >
            <IconTerminal2 size={18} />
          </ActionIcon>
        </Tooltip>
      ) : null}
      <ThemeSwitch onChoose={rememberTheme} />
      <span data-wide-only>
        <LanguageSwitch />
      </span>
    </header>
  );
}
