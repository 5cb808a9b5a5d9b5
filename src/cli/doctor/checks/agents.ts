import type { Backend } from '../../../agents/adapter/agent.ts'
import { toAgentEnvironment } from '../../../agents/adapter/agent-environment.ts'
import { findInstallCommand } from '../../../agents/install-command.ts'
import { findQuirks, isOlderThanTried, type QuirkFacts, TRIED_WITH } from '../../../agents/known-quirks.ts'
import { type AgentLocation, lacksLogin, locateAgents } from '../../../agents/locate-agents.ts'
import { askVersion, findVersionProgram, type VersionAnswer } from '../../../agents/probe-version.ts'
import { mergeLayers } from '../../../config/layers.ts'
import type { Environment } from '../../../kit/process/child-environment.ts'
import type { BackendTest } from '../../../service/drover-service.ts'
import { describeTest } from '../../backends/backends-command.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFinding, type Finding } from './finding.ts'

const AGENT = { group: 'Agents', name: 'agent' } as const

export const agentReady = defineFinding({
  ...AGENT,
  code: 'agent_ready',
  status: 'ok',
  means: 'The agent is installed and reports its version. Only a prompt shows whether it is logged in.',
})

export const agentAnswers = defineFinding({
  ...AGENT,
  code: 'agent_answers',
  status: 'ok',
  means: 'With `--try`: the agent answered a short prompt.',
})

export const agentFails = defineFinding({
  ...AGENT,
  code: 'agent_fails',
  status: 'error',
  means: 'With `--try`: the agent failed to answer a short prompt.',
  todo: 'follow the advice in the report; if the agent is not logged in, it says how to log in',
})

export const agentLoginMissing = defineFinding({
  ...AGENT,
  code: 'agent_login_missing',
  status: 'warning',
  means:
    'The agent has no file with a login, and no variable with a key is set. Some logins cannot be seen without asking the agent: only `--try` is sure.',
  todo: 'log in as the report says, then run drover doctor --try',
})

export const agentDisabled = defineFinding({
  ...AGENT,
  code: 'agent_disabled',
  status: 'ok',
  means: 'The configuration disables the agent, so drover did not look for it.',
})

export const agentNotInstalled = defineFinding({
  ...AGENT,
  code: 'agent_not_installed',
  status: 'warning',
  means: 'The program of the agent was not found. Prompts for the agent fail.',
  todo: 'install it with the command in the report, choose another with default_backend, or disable it with backends.NAME.enabled',
})

export const agentsMissing = defineFinding({
  ...AGENT,
  code: 'agents_missing',
  status: 'warning',
  means: 'No agent is installed and enabled, so no prompt can run.',
  todo: `install one, for example with ${findInstallCommand('claude')}, or try drover with --demo`,
})

export const agentSilent = defineFinding({
  ...AGENT,
  code: 'agent_silent',
  status: 'error',
  means: 'The agent was started with `--version`, did not answer, and was killed.',
  todo: 'start it yourself; an agent that hangs at its start hangs in every prompt',
})

export const agentVersionUnknown = defineFinding({
  ...AGENT,
  code: 'agent_version_unknown',
  status: 'warning',
  means: 'The agent does not report its version. A wrapper script may be the reason.',
  todo: 'start it with --version yourself, or install it again',
})

export const agentOlderThanTried = defineFinding({
  ...AGENT,
  code: 'agent_older_than_tried',
  status: 'warning',
  means:
    'The agent is older than the version that drover was tested with, and may not know all flags that drover passes.',
  todo: 'update the agent',
})

export const agentQuirk = defineFinding({
  ...AGENT,
  code: 'agent_quirk',
  status: 'warning',
  means: 'This version of the agent has a known problem on this machine.',
  todo: 'follow the advice in the report; it depends on the agent',
})

/** With an invalid configuration, agents are searched for under their default names. */
export async function checkAgents(context: CheckContext): Promise<Finding[]> {
  const { runtime, signal } = context
  const { env, cwd, isRoot } = runtime
  const read = await context.config
  const config = read.is === 'found' ? read.value.config : mergeLayers([]).config
  const hasTimeout = config.unified_flags.command_timeout_secs > 0
  const options = { env: toAgentEnvironment({ env }, {}), cwd, signal }
  const agents = locateAgents({ ...runtime, backends: config.backends })
  const findings = agents.map(async (located) => {
    const { isEnabled, backend } = located
    const versioned = findVersionProgram(located)
    const [answer, tried] = await Promise.all([
      isEnabled && versioned !== undefined ? askVersion(versioned, options) : undefined,
      context.tryAgent?.(backend),
    ])
    const facts = { isRoot, env, hasTimeout, isDefault: backend === config.default_backend }
    return [...assessAgent(located, answer, facts), ...assessLogin(located, { env, tried })]
  })
  return [...assessAll(agents), ...(await Promise.all(findings)).flat()]
}

function assessAll(agents: readonly AgentLocation[]): Finding[] {
  if (agents.some(({ isEnabled, program }) => isEnabled && program !== undefined)) return []
  return [agentsMissing({ detail: 'no agent is installed, so no prompt can run' })]
}

type AgentFacts = Omit<QuirkFacts, 'version'> & { isDefault: boolean }

/** `answer` is undefined for an agent that was not started. */
function assessAgent(located: AgentLocation, answer: VersionAnswer | undefined, facts: AgentFacts): Finding[] {
  const { backend, isEnabled, program, wanted } = located
  if (!isEnabled) return [agentDisabled({ detail: `${backend} is disabled` })]
  if (program === undefined || answer === undefined) return [assessMissing({ backend, wanted }, facts)]
  const named = `${backend} (${program[0]})`
  if (answer.is === 'silent') {
    return [agentSilent({ detail: `${named} did not answer --version within ${answer.waitedMs / 1000} seconds` })]
  }
  if (answer.is === 'unknown') {
    return [agentVersionUnknown({ detail: `${named} does not report its version: ${answer.problem}` })]
  }
  return [
    assessVersion(backend, { named, version: answer.version }),
    ...assessQuirks(backend, { ...facts, version: answer.version }),
  ]
}

/** A prompt that was answered or not tells more than a file. */
function assessLogin(
  located: AgentLocation,
  { env, tried }: { env: Environment; tried: BackendTest | undefined },
): Finding[] {
  const { backend, agent, isEnabled, program } = located
  if (tried?.works === true) return [agentAnswers({ detail: describeTest(tried) })]
  if (tried !== undefined) return [agentFails({ detail: `${backend} failed: ${tried.error}`, todo: undefined })]
  if (!isEnabled || program === undefined || !lacksLogin(located, env)) return []
  return [
    agentLoginMissing({ detail: `${backend} has no login that drover can see`, todo: `to log in, ${agent.login}` }),
  ]
}

function assessMissing(
  { backend, wanted }: Pick<AgentLocation, 'backend' | 'wanted'>,
  { isDefault }: AgentFacts,
): Finding {
  const detail = `${backend}: the program ${wanted} was not found${isDefault ? ', and it is the default backend' : ''}`
  const disable = `disable it with drover config set backends.${backend}.enabled false`
  const other = isDefault ? 'choose another with drover config set default_backend NAME' : disable
  const command = findInstallCommand(backend)
  const install = command === undefined ? 'install it' : `install it with ${command}`
  return agentNotInstalled({ detail, todo: `${install}, or ${other}` })
}

function assessVersion(backend: Backend, { named, version }: { named: string; version: string }): Finding {
  if (!isOlderThanTried(backend, version)) return agentReady({ detail: `${named} ${version}` })
  return agentOlderThanTried({ detail: `${named} is ${version}; drover was tested with ${TRIED_WITH[backend]}` })
}

function assessQuirks(backend: Backend, facts: QuirkFacts): Finding[] {
  return findQuirks(backend, facts).map(({ happens, todo }) =>
    agentQuirk({ detail: `${backend} ${facts.version}: ${happens}`, todo }),
  )
}
