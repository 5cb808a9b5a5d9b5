import { describe, expect, it } from 'vitest'
import type { Permission } from '../adapter/permission.ts'
import { policyFor } from './policy.ts'

const OWN = { ignoresProject: false, isLimited: false, canAsk: false }
const DRIVEN = { ...OWN, ignoresProject: true }
const LIMITED = { ...DRIVEN, isLimited: true }

/** Each rule as `decision: tools`. */
function rulesOf(permission: Permission, facts: Parameters<typeof policyFor>[1]): string[] {
  const rules = policyFor(permission, facts).matchAll(
    /toolName = (.*)\n(mcpName = "\*"\n)?(?:decision = "(\w+)"|priority)/g,
  )
  return [...rules].map(([, tools = '', mcp, decision = 'check']) => {
    const names = tools.replace(/["[\]]/g, '')
    return `${decision}: ${mcp ? 'MCP ' : ''}${names}`
  })
}

const NO_PLANS = 'deny: enter_plan_mode, exit_plan_mode'
const READ_ONLY = [`${NO_PLANS}, run_shell_command, write_file, replace, save_memory`, 'deny: MCP *']
const EDITS = ['allow: write_file, replace, web_fetch', 'check: write_file', 'check: replace']

describe('the rules for gemini', () => {
  it.each<[Permission, string[]]>([
    ['read-only', READ_ONLY],
    ['ask', [NO_PLANS]],
    ['edit', [NO_PLANS]],
    ['everything', []],
  ])('leave the rest to its mode: %s', (permission, rules) => {
    expect(rulesOf(permission, OWN)).toEqual(rules)
  })

  it.each<[Permission, string[]]>([
    ['read-only', READ_ONLY],
    ['ask', [NO_PLANS]],
    ['edit', [NO_PLANS, ...EDITS]],
    ['everything', [NO_PLANS, 'allow: *']],
  ])('say all that its mode would, if it has none because it ignores the project: %s', (permission, rules) => {
    expect(rulesOf(permission, DRIVEN)).toEqual(rules)
  })

  it.each<[Permission, string[]]>([
    ['read-only', READ_ONLY],
    ['ask', [NO_PLANS, 'deny: run_shell_command, write_file, replace, save_memory', 'deny: MCP *']],
    ['edit', [NO_PLANS, 'deny: run_shell_command, save_memory', 'deny: MCP *', ...EDITS]],
  ])('deny under a ceiling what the user may have allowed: %s', (permission, rules) => {
    expect(rulesOf(permission, LIMITED)).toEqual(rules)
  })

  it('let it ask, so that it reports what drover denies', () => {
    const rules = rulesOf('edit', { ...LIMITED, canAsk: true })
    expect(rules).toEqual([NO_PLANS, 'ask_user: run_shell_command, save_memory', 'ask_user: MCP *', ...EDITS])
  })

  it('allow exactly the commands that the caller allows, if it may edit', () => {
    const facts = { ...DRIVEN, allowedCommands: ['sh check.sh', `sh -c 'a'`] }
    const policy = policyFor('edit', facts)
    const patterns = [...policy.matchAll(/^argsPattern = (".*")$/gm)].map(
      ([, text = '']) => new RegExp(JSON.parse(text)),
    )
    const isAllowed = (command: string) => {
      const text = `{\0${JSON.stringify('command')}:${JSON.stringify(command)}\0,\0"description":"x"\0}`
      return patterns.some((pattern) => pattern.test(text))
    }
    expect(['sh check.sh', 'git status', 'git diff'].every(isAllowed)).toBe(true)
    const others = [
      'sh check.sh; x',
      'sh checkxsh',
      'x; sh check.sh',
      'git push',
      `sh -c 'a'`,
      'x "command":"sh check.sh",',
    ]
    expect(others.filter(isAllowed)).toEqual([])
    for (const permission of ['read-only', 'ask'] as const)
      expect(policyFor(permission, facts)).not.toContain('argsPattern')
  })
})

describe('an agent without tools', () => {
  it.each<Permission>(['read-only', 'ask', 'edit', 'everything'])(
    'has only the functions of the client: %s',
    (permission) => {
      const [first = '', second = '', ...rest] = policyFor(permission, {
        ...LIMITED,
        trusted: ['client'],
        withoutTools: true,
      })
        .split('[[rule]]\n')
        .slice(1)
      expect(first).toBe('toolName = "*"\ndecision = "deny"\npriority = 998\n\n')
      expect([second.includes('mcpName = "client"\ndecision = "allow"\npriority = 999'), rest]).toEqual([true, []])
    },
  )
})

describe('functions of the client', () => {
  it.each<Permission>(['read-only', 'ask', 'edit', 'everything'])(
    'are allowed in the mode %s, before all others',
    (permission) => {
      const policy = policyFor(permission, { ...LIMITED, trusted: ['client'] })
      expect(policy).toContain('mcpName = "client"\ndecision = "allow"\npriority = 999')
      expect(policy).not.toMatch(/mcpName = "\*"\ndecision = "\w+"\npriority = 999/)
    },
  )
})
