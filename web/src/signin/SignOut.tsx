import { Button, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ApiError, api, SIGN_IN_PATH } from '../kit/api.ts';
import { COOKIES, deleteCookie } from '../kit/cookies.ts';
import { common, t } from '../kit/i18n/index.ts';
import { safeNext } from './next.ts';
import { words } from './words.ts';

/** What a signed-out browser must not remember (conformance 4.13). */
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

/** Ends the session, forgets what belonged to it, and goes to the sign-in page. */
export function SignOut() {
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (failed) return;
    const stop = new AbortController();
    const leave = (next: string | undefined) => {
      for (const name of FORGOTTEN) deleteCookie(name);
      const wanted = safeNext(new URLSearchParams(location.search).get('next'));
      const destination = safeNext(next) ?? SIGN_IN_PATH;
      location.replace(
        wanted && !destination.includes('?')
          ? `${destination}?next=${encodeURIComponent(wanted)}`
          : destination,
      );
    };
    api.post<{ next: string }>('/core/auth/logout/', {}, { quiet: true, signal: stop.signal }).then(
      (answer) => leave(answer?.next),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        // Nobody is signed in any more, which is what was wanted.
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
