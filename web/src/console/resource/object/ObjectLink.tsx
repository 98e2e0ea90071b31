import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Loading, lazyComponent } from '../../../kit/lazy-component.tsx';
import { PageLink, type SearchRecord } from '../../base/navigation.tsx';
import { useObjectAddress } from './useObjectAddress.ts';

// Loaded with the first link that the pointer rests on.
const ObjectPreview = lazyComponent(() =>
  import('./ObjectPreview.tsx').then((module) => module.ObjectPreview),
);

/** Hover delay in milliseconds, so a passing pointer opens nothing. */
const REST = 400;
/** Milliseconds to move the pointer from the link to the card. */
const LEAVE = 150;

interface ObjectLinkProps {
  /** The name of the resource. */
  readonly resource: string;
  readonly id: string;
  /** The text of the link. */
  readonly children: ReactNode;
  /** Query parameters of the page, such as the tab to open. */
  readonly search?: SearchRecord;
}

/**
 * The name of an object, linked to its page if the user may open it, with a preview on hover and
 * focus.
 */
export function ObjectLink({ resource, id, children, search }: ObjectLinkProps) {
  const addressOf = useObjectAddress(resource);
  const anchor = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [open, setOpen] = useState(false);
  const cardId = useId();
  useEffect(() => () => clearTimeout(timer.current), []);
  if (!addressOf) return children;
  const { to, search: place } = addressOf(id);

  function later(value: boolean) {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(value), value ? REST : LEAVE);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape' || !open) return;
    event.stopPropagation();
    clearTimeout(timer.current);
    setOpen(false);
  }
  const preview = {
    // Not `onMouseEnter`: a page that appears below a resting pointer opens nothing.
    onMouseMove: () => later(true),
    onMouseLeave: () => later(false),
    onFocus: () => later(true),
    onBlur: () => later(false),
    onKeyDown,
  };

  return (
    // The handlers only observe events of the link inside.
    <span ref={anchor} {...preview}>
      <PageLink
        to={to}
        {...((search ?? place) && { search: { ...place, ...search } })}
        {...(open && { 'aria-describedby': cardId })}
      >
        {children}
      </PageLink>
      {open && (
        <Loading>
          <ObjectPreview id={cardId} resource={resource} objectId={id} anchor={anchor} />
        </Loading>
      )}
    </span>
  );
}
