/** Downloads an address as a file. The browser streams it to disk, so it may exceed the memory. */
export function download(address: string, name = ''): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
