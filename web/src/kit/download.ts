/** Saves what an address answers with as a file. The browser streams it to the disk: it may be larger than memory. */
export function download(address: string, name = ''): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
