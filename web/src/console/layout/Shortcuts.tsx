import { Kbd, Modal, Table } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { words as frame } from '../base/words.ts';
import { words } from './words.ts';

const KEYS = [
  { keys: ['/'], text: words.keySearch },
  { keys: ['Ctrl / ⌘', 'K'], text: words.keyPalette },
  { keys: ['Ctrl', 'Shift', 'K / ⌘ K'], text: words.keyPaletteTerminal },
  { keys: ['Ctrl / ⌘', 'Enter'], text: words.keyConnect },
  { keys: ['Ctrl / ⌘', 'Enter'], text: words.keySend },
  { keys: ['→'], text: words.keyActions },
  { keys: ['1', '…', '9'], text: words.keyDigits },
  { keys: ['?'], text: words.keyHelp },
  { keys: ['Esc'], text: words.keyEscape },
  { keys: ['↑', '↓', '←', '→'], text: words.keyTree },
  { keys: ['Home', 'End'], text: words.keyEnds },
  { keys: ['J', 'K'], text: words.keyRows },
  { keys: ['A', 'R'], text: words.keyDecide },
  { keys: ['P'], text: words.keyPin },
  { keys: ['T'], text: words.keyTerminate },
];

/** Lists the keyboard shortcuts. */
export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(frame.shortcuts)}
      closeButtonProps={{ 'aria-label': 'Esc' }}
    >
      <Table>
        <Table.Tbody>
          {KEYS.map(({ keys, text }) => (
            <Table.Tr key={text.en}>
              <Table.Td>{t(text)}</Table.Td>
              <Table.Td ta="right">
                {keys.map((key) => (
                  <Kbd key={key} ml={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
