import { describe, expect, it } from 'vitest'
import type { Ceilings } from './ceilings.ts'
import { chooseServers } from './choose-servers.ts'

const docs = { name: 'docs', command: 'docs', read_only: true }
const tracker = { name: 'tracker', url: 'https://tracker.example' }
const OPEN = { approvalMode: 'default', sandboxMode: 'default', withoutTools: false } as const

type Facts = Partial<Parameters<typeof chooseServers>[0]>

function choose(facts: Facts) {
  const all = { asked: undefined, defined: [docs, tracker], ceilings: undefined, ...OPEN, ...facts }
  const { servers, warnings } = chooseServers(all)
  return [servers.map(({ name }) => name).join(), warnings.length]
}

const LIMITED: Ceilings = { sandbox: { mode: 'workspace', setting: 'server.max_sandbox_mode' } }
const LISTED: Ceilings = { mcpServers: { names: ['docs'], setting: 'mcp_servers of the key ci' } }

describe('the MCP servers of an agent', () => {
  it.each<[string, Facts, string, number]>([
    ['all, if the prompt names none', {}, 'docs,tracker', 0],
    ['those that the prompt names, each once', { asked: ['tracker', 'tracker'] }, 'tracker', 0],
    ['none, if the prompt says so', { asked: [] }, '', 0],
    ['those that its key lists', { ceilings: LISTED }, 'docs', 0],
    ['none under a limit', { ceilings: LIMITED }, '', 0],
    ['those that its key lists under a limit', { ceilings: { ...LIMITED, ...LISTED } }, 'docs', 0],
    ['those that change nothing, if it may only read', { sandboxMode: 'read-only' }, 'docs', 0],
    ['those of them that the prompt names', { sandboxMode: 'read-only', asked: ['docs', 'tracker'] }, 'docs', 1],
    ['none without tools', { withoutTools: true }, '', 0],
    ['none without tools, although the prompt names one', { withoutTools: true, asked: ['docs'] }, '', 1],
  ])('are %s', (_, facts, names, warnings) => {
    expect(choose(facts)).toEqual([names, warnings])
  })

  it.each<[Facts, string]>([
    [{ asked: ['doc'] }, 'no MCP server "doc"; use docs, tracker; did you mean docs?'],
    [{ asked: ['docs'], defined: [] }, 'no MCP server "docs"; define it under mcp_servers in the config'],
    [{ asked: ['tracker'], ceilings: LISTED }, 'cannot be used: mcp_servers of the key ci does not have it'],
    [{ asked: ['docs'], ceilings: LIMITED }, 'cannot be used: server.max_sandbox_mode does not have it'],
  ])('are known, and the caller may use them: %o', (facts, message) => {
    expect(() => choose(facts)).toThrow(message)
  })
})
