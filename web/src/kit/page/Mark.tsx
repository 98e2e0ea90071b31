/** The logo: two gate leaves and a threshold, in theme colors for light and dark backgrounds. */
export function Mark({
  size = 32,
  title = 'Sallyport',
}: {
  readonly size?: number;
  readonly title?: string;
}) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" role="img">
      <title>{title}</title>
      <path d="M6 23V9.5L14.5 4v19z" fill="var(--mantine-color-teal-4)" />
      <path d="M26 23V9.5L17.5 4v19z" fill="var(--mantine-color-teal-6)" />
      <path d="M3.5 27h25" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />
    </svg>
  );
}
