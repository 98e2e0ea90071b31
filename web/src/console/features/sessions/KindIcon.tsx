import { session } from '@sallyport/contract';
import { IconDatabase, IconDeviceDesktop, IconFolders, IconTerminal2 } from '../../../kit/icons.ts';
import { choiceText } from '../../resource/list/columns.tsx';
import type { Session } from './session-actions.ts';

const ICONS = {
  terminal: IconTerminal2,
  transfer: IconFolders,
  query: IconDatabase,
  desktop: IconDeviceDesktop,
};

/** The kind of a session: terminal, files, database or desktop. */
export function KindIcon({ kind }: Pick<Session, 'kind'>) {
  const Icon = ICONS[kind];
  const label = choiceText(session.fields.kind, kind);
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      style={{ color: 'var(--mantine-color-dimmed)', marginInlineEnd: 6 }}
    >
      <Icon size={15} aria-hidden="true" style={{ verticalAlign: '-2px' }} />
    </span>
  );
}
