// The server in few files (docs/adr/0046-the-server-is-bundled.md): Node loads them in less than
// half the time of some thousand modules. They hold our sources, and one package of hundreds
// of small modules; all other packages are loaded from where they are.
export default {
  build: {
    ssr: true,
    outDir: 'dist',
    emptyOutDir: true,
    target: 'node24',
    // Names of functions and lines are in the log of a defect.
    minify: false,
    rolldownOptions: {
      input: ['src/main.ts', 'src/cli.ts'],
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
  ssr: { noExternal: ['kysely', /^@sallyport\//] },
};
