declare module 'virtual:guide/*' {
  const document: import('./guide-blocks.ts').GuideDocument;
  export default document;
}
