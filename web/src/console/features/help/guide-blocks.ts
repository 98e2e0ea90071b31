import type { LocalText } from '@sallyport/contract';

/** A piece of text in a guide. Links lead only to headings of the same guide. */
export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'emphasis'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly to: string };

export type Line = readonly Inline[];

/** A part of a guide. */
export type Block =
  | {
      readonly kind: 'heading';
      /** 1 begins a page of a guide that is divided into pages. */
      readonly level: 1 | 2 | 3;
      readonly id: string;
      readonly line: Line;
    }
  | { readonly kind: 'paragraph'; readonly line: Line }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly Line[] }
  | {
      readonly kind: 'table';
      readonly head: readonly Line[];
      readonly rows: readonly (readonly Line[])[];
    };

export interface GuideDocument {
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** The text of a line without formatting. */
export const plainText = (line: Line): string => line.map(({ text }) => text).join('');

/** Anchors of the license chapter in the operator guides. */
export const LICENSE_CHAPTER: LocalText = { en: 'license-and-branding', zh: '许可证与界面' };
