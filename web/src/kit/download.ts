/** Downloads an address as a file. The browser streams it to disk, so it may exceed the memory. */
export function download(address: string, name = ''): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}

/** Saves a text as a file without leaving the page. */
export function saveText(name: string, text: string): void {
  saveBlob(name, new Blob([text], { type: 'text/plain;charset=utf-8' }));
}

/** Saves bytes as a file without leaving the page. */
export function saveBlob(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  download(address, name);
  // Revoking at once would be too early for some browsers.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
