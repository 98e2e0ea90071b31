declare module 'virtual:resources' {
  export const SUMMARIES: Readonly<Record<string, import('@sallyport/contract').ResourceSummary>>;
}
