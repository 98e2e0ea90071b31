import { Alert } from '@mantine/core';
import { ApiError } from '../api.ts';
import { t } from '../i18n/index.ts';
import { IconAlertTriangle } from '../icons.ts';
import { failureText } from './failure.ts';
import { words } from './words.ts';

/**
 * An error announced at once by screen readers: a sentence of the form, or the error of a request.
 */
export function FailureAlert({ cause }: { readonly cause: unknown }) {
  if (cause === undefined || cause === '') return null;
  const isWrongCode = cause instanceof ApiError && cause.code === 'mfa_failed';
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle size={18} />}
      role="alert"
      {...(isWrongCode && { title: t(words.mfaError) })}
    >
      {typeof cause === 'string' ? cause : failureText(cause)}
    </Alert>
  );
}
