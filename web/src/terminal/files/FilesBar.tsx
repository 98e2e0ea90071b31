import { t } from '../../kit/i18n/index.ts';
import { LanguageSwitch } from '../../kit/page/LanguageSwitch.tsx';
import { Mark } from '../../kit/page/Mark.tsx';
import { ThemeSwitch } from '../../kit/page/ThemeSwitch.tsx';
import { ToolLink } from '../../kit/page/ToolButton.tsx';
import { IconTerminal2 } from '../icons.ts';
import type { GrantedLeaf } from '../tree/tree-rows.ts';
import { rememberTheme } from '../useProfile.ts';
import frame from '../Window.module.css';
import { words as terminalWords } from '../words.ts';
import { PanelSwitch } from '../workspace/PanelSwitch.tsx';
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
  return (
    <header className={frame.bar}>
      <PanelSwitch
        isDocked={panel.isOpen && !panel.isNarrow}
        isOpen={panel.isOpen}
        onClick={panel.toggle}
      />
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
        <ToolLink
          label={t(words.openTerminal)}
          href={`/luna/?login_to=${asset.id}`}
          target="_blank"
          rel="noopener"
          size={32}
        >
          <IconTerminal2 size={18} />
        </ToolLink>
      ) : null}
      <ThemeSwitch onChoose={rememberTheme} />
      <span data-wide-only>
        <LanguageSwitch />
      </span>
    </header>
  );
}
