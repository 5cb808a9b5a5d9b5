/**
 * The places in a project from which coding agents read settings and instructions. They decide what an agent runs and is told,
 * so a change of them matters more than that of other files. Pure.
 */

/** Everything in such a folder counts, and the name itself, which may be a link. */
const FOLDERS: ReadonlySet<string> = new Set([
  ...[
    '.agent',
    '.agents',
    '.aider',
    '.amp',
    '.augment',
    '.claude',
    '.claude-plugin',
    '.cline',
    '.clinerules',
    '.codex',
  ],
  ...['.continue', '.copilot', '.crush', '.cursor', '.factory', '.gemini', '.goose', '.grok', '.junie', '.kilo'],
  ...['.kilocode', '.kimi', '.kimi-code', '.kiro', '.opencode', '.pi', '.qoder', '.qwen', '.roo', '.trae', '.vibe'],
  ...['.vscode', '.windsurf', '.zed'],
])

/** Of the folder `.github`, which has much else. */
const IN_GITHUB: ReadonlySet<string> = new Set([
  ...['agents', 'chatmodes', 'copilot', 'copilot-instructions.md', 'extensions', 'hooks', 'instructions', 'lsp.json'],
  ...['mcp.json', 'plugin', 'prompts', 'skills'],
])

const INSTRUCTIONS = /^(?:agents?|claude|gemini|qwen|kimi|grok|context|copilot|warp|crush)(?:\.local|\.override)?\.md$/
const SETTINGS =
  /^(?:\.?mcp\.json|\.?(?:opencode|kilo|crush)\.jsonc?|\.(?:goose|kimi|kilo|aider|cursor|windsurf|cline|roo)[^/]*|\.rules|\.env(?:\.(?!(?:example|sample|template)$).+)?|\.envrc|bunfig\.toml)$/

/** Whether an agent may read settings or instructions from a path of a project. Some file systems ignore the case of names. */
export function isAgentConfiguration(path: string): boolean {
  const names = namesIn(path)
  return isSettings(names) || INSTRUCTIONS.test(names.at(-1) ?? '')
}

/** The same without instructions: what may make an agent run something before a model has decided anything. */
export function isAgentSettings(path: string): boolean {
  return isSettings(namesIn(path))
}

function namesIn(path: string): string[] {
  return path
    .toLowerCase()
    .split('/')
    .filter((name) => name !== '')
}

function isSettings(names: readonly string[]): boolean {
  const isFolder = (name: string, at: number) =>
    FOLDERS.has(name) || (names[at - 1] === '.github' && IN_GITHUB.has(name))
  return names.some(isFolder) || SETTINGS.test(names.at(-1) ?? '')
}
