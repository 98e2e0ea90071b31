import { type Field, type NamedObjects, targetOf } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { defaultCell } from '../list/table/columns.tsx';
import { textOf } from '../source.ts';
import { ObjectLink } from './ObjectLink.tsx';

interface NamedProps {
  readonly row: { readonly links: NamedObjects };
  /** The field with the name of the object. */
  readonly name: string;
  readonly children?: ReactNode;
}

/** A name in a log entry, linked while the object exists. */
export function NamedObject({ row, name, children = textOf(row, name) }: NamedProps) {
  const linkTarget = row.links[name];
  if (!linkTarget || !textOf(row, name)) return children;
  return (
    <ObjectLink resource={linkTarget.resource} id={linkTarget.id}>
      {children}
    </ObjectLink>
  );
}

/** Draws a value by the kind of its field; the name of an object links to it. */
export function linkedCell(row: object, name: string, field: Field | undefined): ReactNode {
  if ('links' in row && field?.kind === 'text') {
    return (
      <NamedObject row={row as NamedProps['row']} name={name}>
        {defaultCell(row, name, field)}
      </NamedObject>
    );
  }
  const target = field?.kind === 'reference' ? targetOf(field) : undefined;
  const id = textOf(row, name);
  if (!target || !id) return defaultCell(row, name, field);
  return (
    <ObjectLink resource={target} id={id}>
      {defaultCell(row, name, field)}
    </ObjectLink>
  );
}
