/** What `npm run generate` writes, and what the drift test expects to find. Paths are relative to the repository. */
export type GeneratedFile = { path: string; content: string }
