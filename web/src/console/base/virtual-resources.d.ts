declare module 'virtual:resources' {
  export const SUMMARIES: Readonly<Record<string, import('@sallyport/contract').ShortSummary>>;
}

declare module 'virtual:relations' {
  /** Relations by owner and field, such as `usergroup.users`; `other` is the other end's key. */
  export const RELATION_SUMMARIES: Readonly<
    Record<string, { readonly path: string; readonly other: string }>
  >;
}

declare module 'virtual:audit-kinds' {
  export const AUDIT_KINDS: readonly import('@sallyport/contract').AuditKind[];
}
