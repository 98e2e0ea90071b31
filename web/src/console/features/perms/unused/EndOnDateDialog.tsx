import { assetPermission, parseDatetime, type UnusedAccess } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, PROPOSED } from '../../../../kit/api.ts';
import { toast } from '../../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../../kit/i18n/index.ts';
import { FormDialog } from '../../../resource/dialog/FormDialog.tsx';
import { DateTimeField } from '../../../resource/form/DateTimeField.tsx';
import { objectUrl } from '../../../resource/source.ts';
import { AccessPreview, agreeToAccess } from '../../access/index.ts';
import { questionAbout } from '../change-links.ts';
import { readRule } from './unused-actions.ts';
import { words } from './words.ts';

const WEEK = 7 * 86_400_000;

/** Sets the end date of a permission and previews the consequences. */
export function EndOnDateDialog({
  row,
  onClose,
  onDone,
}: {
  readonly row: UnusedAccess;
  readonly onClose: () => void;
  readonly onDone: () => Promise<unknown>;
}) {
  const [end, setEnd] = useState(() => new Date(Date.now() + WEEK).toISOString());
  const [problem, setProblem] = useState('');
  const { data: rule } = useQuery({
    queryKey: ['unused-rule', row.permission],
    queryFn: () => readRule(row),
    staleTime: 0,
  });
  const isMoment = parseDatetime(end) !== undefined;
  const question = rule && isMoment ? questionAbout(rule, { date_expired: end }) : undefined;

  async function submit() {
    if (!isMoment) {
      setProblem(t(words.notAMoment));
      return;
    }
    if (!rule || !(await agreeToAccess(question))) return;
    const url = objectUrl(assetPermission, rule.id);
    try {
      await api.patch(url, { date_expired: end }, { quiet: true });
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      if (cause.code === PROPOSED) return onClose();
      setProblem(cause.fields?.date_expired?.join('; ') ?? cause.message);
      return;
    }
    onClose();
    await onDone();
    toast.undo(t(common.updateSuccess), async () => {
      await api.patch(url, { date_expired: rule.date_expired });
      await onDone();
    });
  }

  return (
    <FormDialog
      title={t(words.endOnTitle, { name: row.permission_display })}
      confirm={t(words.setEnd)}
      onClose={onClose}
      submit={submit}
    >
      {(busy) => (
        <>
          <DateTimeField
            label={t(words.endDate)}
            value={end}
            onChange={(value) => {
              setEnd(value);
              setProblem('');
            }}
            error={problem || undefined}
            required
            disabled={busy}
            isEnd
            mustEnd
            inPopover
          />
          <AccessPreview question={question} />
        </>
      )}
    </FormDialog>
  );
}
