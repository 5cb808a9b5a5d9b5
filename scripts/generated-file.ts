/** A file that `npm run generate` writes. The path is relative to the repository. */
export type GeneratedFile = { path: string; content: string }
