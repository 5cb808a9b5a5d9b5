/** Which folder of `src/` may import which. The border test enforces this table, and `docs/architecture.svg` is drawn from it. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  kit: [],
  sandbox: ['kit'],
  config: ['kit'],
  contract: ['kit'],
  demo: [],
  agents: ['sandbox', 'kit'],
  store: ['kit'],
  sessions: ['store', 'agents', 'kit'],
  prompts: ['sessions', 'agents', 'sandbox', 'kit'],
  executions: ['prompts', 'sessions', 'store', 'agents', 'kit'],
  service: [
    'drive',
    'executions',
    'prompts',
    'sessions',
    'agents',
    'workspace',
    'contract',
    'config',
    'sandbox',
    'kit',
  ],
  mcp: ['service', 'drive', 'executions', 'prompts', 'kit'],
  http: ['mcp', 'service', 'drive', 'executions', 'prompts', 'sessions', 'agents', 'config', 'kit'],
  engine: ['contract', 'kit'],
  journal: ['engine', 'contract', 'kit'],
  workspace: ['contract', 'kit'],
  source: ['contract', 'kit'],
  hosts: ['contract', 'kit'],
  runs: ['journal', 'engine', 'workspace', 'source', 'contract', 'kit'],
  drive: [
    'executions',
    'prompts',
    'sessions',
    'agents',
    'runs',
    'journal',
    'source',
    'workspace',
    'contract',
    'sandbox',
    'kit',
  ],
  acp: ['service', 'prompts', 'sessions', 'agents', 'kit'],
  cli: [
    'acp',
    'mcp',
    'service',
    'drive',
    'http',
    'executions',
    'prompts',
    'sessions',
    'store',
    'agents',
    'runs',
    'hosts',
    'source',
    'workspace',
    'contract',
    'config',
    'sandbox',
    'kit',
  ],
  library: [
    'service',
    'drive',
    'http',
    'executions',
    'prompts',
    'sessions',
    'agents',
    'runs',
    'workspace',
    'config',
    'sandbox',
    'kit',
  ],
  // For types only: the console runs in browsers.
  console: ['service', 'drive', 'executions', 'prompts', 'sessions', 'agents'],
  'bin.ts': ['cli', 'kit'],
}

/** The two halves of drover. They share only `SHARED`, and only what is above both may import both. */
export const HALVES = {
  prompts: ['agents', 'demo', 'store', 'sessions', 'prompts', 'executions'],
  changes: ['contract', 'engine', 'journal', 'runs', 'source', 'workspace', 'hosts'],
} as const
export const SHARED = ['kit', 'config', 'sandbox']
export const ABOVE_BOTH_HALVES = ['drive', 'service', 'mcp', 'http', 'acp', 'library', 'cli', 'console', 'bin.ts']

/** The ways in. They share what is below them, and do not import each other. */
export const FACES = ['cli', 'http', 'mcp', 'acp', 'library', 'console']
/** But for starting one: the only imports between them. */
export const STARTS = [
  'cli/acp/acp.ts -> acp/editor-agent.ts',
  'cli/mcp/mcp-command.ts -> mcp/mcp-server.ts',
  'cli/serve/create-http.ts -> http/http-face.ts',
  'http/mcp/handle-mcp.ts -> mcp/mcp-server.ts',
  'library/serve-in-program.ts -> http/http-face.ts',
]
