/** Which folder of `src/` may import which. `config` is given to the rest in parts; the two halves share `kit` alone. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  config: ['kit'],
  contract: ['kit'],
  demo: ['kit'],
  agents: ['kit'],
  sessions: ['agents', 'kit'],
  prompts: ['sessions', 'agents', 'kit'],
  http: ['prompts', 'sessions', 'agents', 'config', 'kit'],
  engine: ['contract', 'kit'],
  journal: ['engine', 'contract', 'kit'],
  workspace: ['contract', 'kit'],
  source: ['contract', 'kit'],
  hosts: ['contract', 'kit'],
  runs: ['journal', 'engine', 'workspace', 'source', 'contract', 'kit'],
  cli: ['http', 'prompts', 'sessions', 'agents', 'runs', 'hosts', 'source', 'workspace', 'contract', 'config', 'kit'],
  'bin.ts': ['cli', 'kit'],
}
