/** The address of the organization's guide; undefined unless it is safe to link to. */
export function ownGuideOf(address: string | null | undefined): string | undefined {
  return address && /^https?:\/\//.test(address) ? address : undefined;
}
