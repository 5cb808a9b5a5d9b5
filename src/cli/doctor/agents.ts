/** What doctor says about the agents. Pure. */
import type { Backend } from '../../agents/agent.ts'
import { isOlderThanTried, type QuirkFacts, quirksOf, TRIED_WITH } from '../../agents/known-quirks.ts'
import type { Located } from '../../agents/locate-agents.ts'
import type { VersionAnswer } from '../../agents/probe-version.ts'
import { defineCheck, type Finding } from './check.ts'

const AGENT = { group: 'Agents', name: 'agent' } as const

export const agentReady = defineCheck({
  ...AGENT,
  code: 'agent_ready',
  status: 'ok',
  means: 'The agent is installed and tells its version. Whether it is logged in, only a prompt can tell.',
})

export const agentDisabled = defineCheck({
  ...AGENT,
  code: 'agent_disabled',
  status: 'ok',
  means: 'The configuration hides the agent, so it was not looked for.',
})

export const agentNotInstalled = defineCheck({
  ...AGENT,
  code: 'agent_not_installed',
  status: 'warning',
  means: 'There is no such program; prompts for the agent are refused.',
  todo: 'install it, choose another by default_backend, or hide it by backends.NAME.enabled',
})

export const agentSilent = defineCheck({
  ...AGENT,
  code: 'agent_silent',
  status: 'error',
  means: 'The agent was started with `--version` and had to be ended, because it did not answer.',
  todo: 'try it yourself; an agent that waits for something at its start waits in every prompt',
})

export const agentVersionUnknown = defineCheck({
  ...AGENT,
  code: 'agent_version_unknown',
  status: 'warning',
  means: 'The agent does not tell its version, as a program that stands in for it may not.',
  todo: 'try it with --version yourself, or install it again',
})

export const agentOlderThanTried = defineCheck({
  ...AGENT,
  code: 'agent_older_than_tried',
  status: 'warning',
  means: 'The agent is older than what drover was tried with; flags that drover gives it may be unknown to it.',
  todo: 'update the agent',
})

export const agentQuirk = defineCheck({
  ...AGENT,
  code: 'agent_quirk',
  status: 'warning',
  means: 'This version of the agent is known to do something here that people do not expect.',
  todo: 'do what the sentence says, which depends on the agent',
})

export type AgentFacts = Omit<QuirkFacts, 'version'> & { isDefault: boolean }

/** `answer` is undefined for an agent that was not asked. */
export function judgeAgent(located: Located, answer: VersionAnswer | undefined, facts: AgentFacts): Finding[] {
  const { backend, isEnabled, program, wanted } = located
  if (!isEnabled) return [agentDisabled({ detail: `${backend} is disabled` })]
  if (program === undefined || answer === undefined) return [judgeMissing({ backend, wanted }, facts)]
  const named = `${backend} (${program[0]})`
  if (answer.is === 'silent') {
    return [agentSilent({ detail: `${named} did not answer --version within ${answer.waitedMs / 1000} seconds` })]
  }
  if (answer.is === 'unknown') return [agentVersionUnknown({ detail: `${named} tells no version: ${answer.problem}` })]
  return [
    judgeVersion(backend, { named, version: answer.version }),
    ...judgeQuirks(backend, { ...facts, version: answer.version }),
  ]
}

function judgeMissing({ backend, wanted }: Pick<Located, 'backend' | 'wanted'>, { isDefault }: AgentFacts): Finding {
  const detail = `${backend}: there is no program ${wanted}${isDefault ? ', and it is the default backend' : ''}`
  const hide = `drover config set backends.${backend}.enabled false`
  const other = isDefault ? 'choose another by drover config set default_backend NAME' : `hide it by ${hide}`
  return agentNotInstalled({ detail, todo: `install it, or ${other}` })
}

function judgeVersion(backend: Backend, { named, version }: { named: string; version: string }): Finding {
  if (!isOlderThanTried(backend, version)) return agentReady({ detail: `${named} ${version}` })
  return agentOlderThanTried({ detail: `${named} is ${version}; drover was tried with ${TRIED_WITH[backend]}` })
}

function judgeQuirks(backend: Backend, facts: QuirkFacts): Finding[] {
  return quirksOf(backend, facts).map(({ happens, todo }) =>
    agentQuirk({ detail: `${backend} ${facts.version}: ${happens}`, todo }),
  )
}
