import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { MOBILE_BREAKPOINT } from '@sallyport/contract';
import { common, t } from '../../../../kit/i18n/index.ts';
import { words } from '../words.ts';
import { AccessKeys } from './AccessKeys.tsx';

/**
 * The dialog of the account menu (conformance 9.15: 60 % wide, 3vh from the top; full width if 60 %
 * would be too narrow).
 */
export function AccessKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const narrow = useMediaQuery(`(max-width: ${MOBILE_BREAKPOINT - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.accessKeys)}
      size={narrow ? '100%' : '60vw'}
      yOffset="3vh"
      fullScreen={narrow}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <AccessKeys />
    </Modal>
  );
}
