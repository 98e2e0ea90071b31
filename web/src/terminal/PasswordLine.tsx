import { Anchor } from '@mantine/core';
import { isPasswordEndSoon } from '@sallyport/contract';
import { useState } from 'react';
import { BASE_PATH } from '../kit/base-path.ts';
import { lazyComponent } from '../kit/lazy-component.tsx';
import { useProfile } from './useProfile.ts';

const PasswordReminder = lazyComponent(() =>
  import('../kit/page/PasswordReminder.tsx').then((module) => module.PasswordReminder),
);

/** Says above a terminal page that the password expires soon. Users close it for this window. */
export function PasswordLine() {
  const { data: profile } = useProfile();
  const [isClosed, setClosed] = useState(false);
  if (!profile || isClosed || !isPasswordEndSoon(profile)) return null;
  const link = (text: string) => (
    <Anchor
      href={`${BASE_PATH}/users/profile?activeTab=PasswordUpdate`}
      target="_blank"
      rel="noopener"
      inherit
      underline="always"
    >
      {text}
    </Anchor>
  );
  return <PasswordReminder profile={profile} link={link} onClose={() => setClosed(true)} />;
}
