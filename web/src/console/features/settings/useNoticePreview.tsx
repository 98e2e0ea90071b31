import { Fieldset, Stack } from '@mantine/core';
import type { Announcement } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { AnnouncementLine } from '../../../kit/page/AnnouncementLine.tsx';
import { SignInNotice } from '../../../kit/page/SignInNotice.tsx';
import type { FormModel } from '../../resource/form/useForm.ts';
import type { CategoryExtras } from './CategoryForm.tsx';
import { words } from './words.ts';

/** Shows the texts of the form as users will see them. */
export const useNoticePreview = ({ values }: FormModel): CategoryExtras => {
  const notice = String(values.SIGN_IN_NOTICE ?? '').trim();
  const text = String(values.ANNOUNCEMENT ?? '').trim();
  const level = String(values.ANNOUNCEMENT_LEVEL ?? 'info') as Announcement['level'];
  const link = String(values.ANNOUNCEMENT_LINK ?? '').trim();
  return {
    buttons: null,
    notice: (notice || text) && (
      <Fieldset legend={t(words.preview)} maw={860}>
        <Stack gap="md">
          {notice && <SignInNotice label={t(words.beforeSignIn)} text={notice} />}
          {text && <AnnouncementLine content={{ text, level, link }} />}
        </Stack>
      </Fieldset>
    ),
  };
};
