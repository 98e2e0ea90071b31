/** The address of the organization's own guide, if it is one that a browser may be sent to. */
export function ownGuideOf(address: string | null | undefined): string | undefined {
  return address && /^https?:\/\//.test(address) ? address : undefined;
}
