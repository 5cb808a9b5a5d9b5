import { describe, expect, it } from 'vitest'
import { NATIVE_BACKENDS } from '../../agents/adapter/agent.ts'
import type { AgentLocation } from '../../agents/locate-agents.ts'
import { NATIVE_AGENTS } from '../../agents/registry.ts'
import { formatWelcome } from './welcome.ts'

const agents = (installed: readonly string[], disabled: readonly string[] = []): AgentLocation[] =>
  NATIVE_BACKENDS.map((backend) => ({
    agent: NATIVE_AGENTS[backend],
    backend,
    isEnabled: !disabled.includes(backend),
    program: installed.includes(backend) ? [`/bin/${backend}`] : undefined,
    isDemo: false,
    wanted: backend,
  }))

const welcome = (installed: readonly string[], disabled?: readonly string[]) =>
  formatWelcome({ version: '1.2.3', agents: agents(installed, disabled), defaultBackend: 'claude' })

describe('formatWelcome', () => {
  it('shows the installed agents, how to install the others, and what to type', () => {
    expect(welcome(['claude', 'gemini'])).toBe(`drover 1.2.3

Installed agents: claude (default), gemini
Not installed:    codex (npm install --global @openai/codex)

  drover chat                    start a conversation with claude
  drover "explain this project"  run one prompt
  drover --help                  show all commands
`)
  })

  it('offers the demo agent if no agent is installed', () => {
    expect(welcome([])).toContain('No agent is installed. --demo')
    expect(welcome([])).toContain('  drover chat --demo ')
  })

  it('names another agent if the default one is not installed', () => {
    expect(welcome(['codex'])).toContain('  drover chat -b codex ')
  })

  it('leaves out disabled agents', () => {
    expect(welcome(['claude'], ['codex', 'gemini'])).not.toContain('Not installed')
  })

  it.each([[[]], [['claude']], [['claude', 'codex', 'gemini']]])(
    'fits a window of 80 columns and 10 lines with %j',
    (installed) => {
      const lines = welcome(installed).trimEnd().split('\n')
      expect(lines.length).toBeLessThanOrEqual(10)
      expect(lines.filter((line) => line.length > 80)).toEqual([])
    },
  )
})
