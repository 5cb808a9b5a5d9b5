import { describe, expect, it } from 'vitest'
import { isAgentConfiguration, isAgentSettings } from './agent-configuration.ts'

describe('isAgentConfiguration', () => {
  it.each([
    '.claude/settings.json',
    '.claude',
    'web/.claude/hooks/x.sh',
    '.Claude/settings.local.json',
    '.gemini/settings.json',
    '.codex/config.toml',
    '.opencode/plugin/p.js',
    '.opencode/',
    'opencode.json',
    'packages/a/OPENCODE.JSONC',
    'AGENTS.md',
    'agent.md',
    'mcp.json',
    '.mcp.json/',
    'docs/agents.md',
    'AGENTS.override.md',
    'CLAUDE.md',
    'CLAUDE.local.md',
    'GEMINI.md',
    '.mcp.json',
    '.cursor/mcp.json',
    '.cursorrules',
    '.vscode/tasks.json',
    '.agents/skills/s/SKILL.md',
    '.qwen/settings.json',
    '.kimi/mcp.json',
    '.kimi-code/mcp.json',
    '.grok/hooks/h.json',
    '.pi/extensions/e.ts',
    '.vibe/config.toml',
    '.goosehints',
    '.kilocode/mcp.json',
    '.kilocodemodes',
    'kilo.jsonc',
    '.clinerules/hooks/PreToolUse',
    '.github/hooks/h.json',
    '.github/copilot-instructions.md',
    '.env',
    '.env.local',
    '.env.example.local',
    'web/.env.production',
    '.env.Development.local',
    '.envrc',
    'bunfig.toml',
  ])('is true for %s', (path) => {
    expect(isAgentConfiguration(path)).toBe(true)
  })

  it.each([
    ...['agent', 'agents', 'aider', 'amp', 'augment', 'claude', 'claude-plugin', 'cline', 'clinerules', 'codex'],
    ...['continue', 'copilot', 'crush', 'cursor', 'factory', 'gemini', 'goose', 'grok', 'junie', 'kilo', 'kilocode'],
    ...['kimi', 'kimi-code', 'kiro', 'opencode', 'pi', 'qoder', 'qwen', 'roo', 'trae', 'vibe', 'vscode', 'windsurf'],
    'zed',
  ])('is true for everything in .%s', (folder) => {
    expect(isAgentSettings(`web/.${folder}/any/file.txt`)).toBe(true)
    expect(isAgentSettings(`web/${folder}/any/file.txt`)).toBe(false)
  })

  it.each([
    ...['agents', 'chatmodes', 'copilot', 'copilot-instructions.md', 'extensions', 'hooks', 'instructions', 'lsp.json'],
    ...['mcp.json', 'plugin', 'prompts', 'skills'],
  ])('is true for %s in .github', (name) => {
    expect(isAgentSettings(`.github/${name}`)).toBe(true)
    expect(isAgentSettings(`.github/${name}/any`)).toBe(true)
    expect(isAgentSettings(`.github/other/${name}s`)).toBe(false)
  })

  it.each([
    'mcp.json5',
    'x.mcp.json',
    '.env.example',
    'my.env',
    '.rules.md',
    'old-bunfig.toml',
    'opencode.json.bak',
    'x-opencode.json',
    'my-agents.md',
    'agents.md.bak',
    'agents.other.md',
    'src/claude.ts',
    'claude/settings.json',
    '.github/workflows/ci.yml',
    'hooks/h.json',
    'README.md',
    'env',
    '.env.example',
    '.environment',
    '',
  ])('is false for %j', (path) => {
    expect(isAgentConfiguration(path)).toBe(false)
  })
})

describe('isAgentSettings', () => {
  it.each([
    '.claude/settings.json',
    '.claude/CLAUDE.md',
    '.mcp.json',
    'web/.env',
    '.github/hooks/h.json',
    '.cursorrules',
  ])('is true for %s', (path) => expect(isAgentSettings(path)).toBe(true))

  it.each(['CLAUDE.md', 'AGENTS.override.md', 'docs/gemini.md', 'README.md', ''])('is false for %j', (path) =>
    expect(isAgentSettings(path)).toBe(false),
  )
})
