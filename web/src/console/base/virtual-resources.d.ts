declare module 'virtual:resources' {
  export const SUMMARIES: Readonly<Record<string, import('@sallyport/contract').ShortSummary>>;
}

declare module 'virtual:audit-kinds' {
  export const AUDIT_KINDS: readonly import('@sallyport/contract').AuditKind[];
}
