import { Button, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ApiError, api, SIGN_IN_PATH } from '../kit/api.ts';
import { COOKIES, deleteCookie } from '../kit/cookies.ts';
import { common, t } from '../kit/i18n/index.ts';
import { safeNext, withBase } from './flow.ts';
import { words } from './words.ts';

/** Cookies and storage to clear at sign-out (conformance 4.13). */
const FORGOTTEN = [
  'currentOrg',
  'currentRole',
  COOKIES.organization,
  COOKIES.role,
  COOKIES.sidebar,
  COOKIES.language,
  COOKIES.organizationHeader,
  COOKIES.activeTab,
];

/** Ends the sign-in session, clears its data, and opens the sign-in page. */
export function SignOut() {
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (failed) return;
    const stop = new AbortController();
    const leave = (next: string | undefined) => {
      for (const name of FORGOTTEN) deleteCookie(name);
      const nextPath = safeNext(new URLSearchParams(location.search).get('next'));
      const destination = safeNext(next) ?? SIGN_IN_PATH;
      location.replace(
        nextPath && !destination.includes('?')
          ? `${destination}?next=${encodeURIComponent(withBase(nextPath))}`
          : destination,
      );
    };
    api.post<{ next: string }>('/core/auth/logout/', {}, { quiet: true, signal: stop.signal }).then(
      (answer) => leave(answer?.next),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        // 401: the session has already ended.
        if (error instanceof ApiError && error.status === 401) leave(undefined);
        else setFailed(true);
      },
    );
    return () => stop.abort();
  }, [failed]);

  if (failed) {
    return (
      <Stack align="center" role="alert">
        <Text>{t(words.signOutFailed)}</Text>
        <Button onClick={() => setFailed(false)}>{t(common.retry)}</Button>
      </Stack>
    );
  }
  return (
    <Stack align="center" role="status">
      <Loader />
      <Text>{t(words.signingOut)}</Text>
    </Stack>
  );
}
