import { useEffect, useRef, useState } from 'react';
import type { News } from './notifications.ts';
import { pageOf } from './notifications.ts';
import { sentenceOf } from './words.ts';

/** The choice belongs to the browser: each asks for its own permission. */
const STORAGE_KEY = 'sallyport-notifications';

const isSupported = () => 'Notification' in window;
const isAllowed = () => isSupported() && Notification.permission === 'granted';

function show(news: News): void {
  const popup = new Notification(sentenceOf(news), { tag: news.id });
  popup.onclick = () => {
    window.focus();
    const page = pageOf(news);
    if (page) location.assign(`/ui${page}`);
    popup.close();
  };
}

/**
 * Shows new notifications by the browser while the page is hidden, if the user chose it. Returns
 * the choice; `change` asks for the permission.
 */
export function useBrowserNotifications(latest: readonly News[] | undefined) {
  const [isOn, setOn] = useState(() => isAllowed() && localStorage.getItem(STORAGE_KEY) === '1');
  const [isBlocked, setBlocked] = useState(false);
  const known = useRef<ReadonlySet<string>>(undefined);

  useEffect(() => {
    if (!latest) return;
    const fresh = known.current
      ? latest.filter(({ id, is_read: isRead }) => !isRead && !known.current?.has(id))
      : [];
    known.current = new Set(latest.map(({ id }) => id));
    if (isOn && document.visibilityState === 'hidden') for (const news of fresh) show(news);
  }, [latest, isOn]);

  async function change(on: boolean) {
    const allowed = on && isSupported() && (await Notification.requestPermission()) === 'granted';
    setBlocked(on && !allowed);
    setOn(allowed);
    localStorage.setItem(STORAGE_KEY, allowed ? '1' : '');
  }
  return { isOn, isBlocked, isSupported: isSupported(), change };
}
