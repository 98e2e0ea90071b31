/** What Node keeps of compiled files for the next process, for children that inherit nothing else: without it each of them compiles the whole program. */
export function compileCache(): Readonly<Record<string, string>> {
  const { NODE_COMPILE_CACHE: folder } = process.env;
  return folder ? { NODE_COMPILE_CACHE: folder } : {};
}
