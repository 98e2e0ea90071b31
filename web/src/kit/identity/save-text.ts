/** Saves a text as a file of this name, without leaving the page. */
export function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The browser has taken the content by then; at once would be too early for some.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
