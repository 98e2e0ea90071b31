import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { PageLink, type SearchRecord } from '../../base/navigation.tsx';
import { usePages } from '../../base/resources.ts';

const ObjectPreview = lazyComponent(() =>
  import('./ObjectPreview.tsx').then((module) => module.ObjectPreview),
);

/** The address that shows an object: its page, or a list filtered to it. */
interface ObjectAddress {
  readonly to: string;
  readonly search?: SearchRecord;
}

/**
 * Returns a function from id to address for the objects of a resource, or undefined if the user may
 * open none. A node has no page: its address is the list of assets.
 */
function useObjectAddress(resource: string): ((id: string) => ObjectAddress) | undefined {
  const isNode = resource === 'node';
  const { list, detail } = usePages(isNode ? 'asset' : resource);
  const address = useCallback(
    (id: string): ObjectAddress =>
      isNode ? { to: list ?? '', search: { node: id } } : { to: detail?.(id) ?? '' },
    [isNode, list, detail],
  );
  return (isNode ? list : detail) ? address : undefined;
}

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
      {open && <ObjectPreview id={cardId} resource={resource} objectId={id} anchor={anchor} />}
    </span>
  );
}
