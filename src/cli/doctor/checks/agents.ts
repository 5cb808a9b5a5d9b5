import type { Backend } from '../../../agents/adapter/agent.ts'
import { toAgentEnvironment } from '../../../agents/adapter/agent-environment.ts'
import { findInstallCommand } from '../../../agents/install-command.ts'
import { findQuirks, isOlderThanTried, type QuirkFacts, TRIED_WITH } from '../../../agents/known-quirks.ts'
import { type AgentLocation, lacksLogin, locateAgents } from '../../../agents/locate-agents.ts'
import { askVersion, findVersionProgram, type VersionAnswer } from '../../../agents/probe-version.ts'
import type { Config } from '../../../config/config.shape.ts'
import { mergeLayers } from '../../../config/layers.ts'
import { chooseBoundary } from '../../../drive/decide/choose-boundary.ts'
import type { Environment } from '../../../kit/process/child-environment.ts'
import { describeCostGap, findCostGap } from '../../../prompts/decide-cost.ts'
import { billingOf, modelBefore } from '../../../prompts/turn-cost.ts'
import type { BackendTest } from '../../../service/drover-service.ts'
import { describeTest } from '../../backends/backends-command.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFindings, type Finding, ok, problem, warning } from './finding.ts'

export const AGENT = defineFindings('Agents', 'agent', {
  agent_ready: ok('The agent is installed. Only a prompt shows whether it is logged in.'),
  agent_answers: ok('With `--try`: the agent answered a short prompt.'),
  agent_fails: problem(
    'With `--try`: the agent failed to answer a short prompt.',
    'follow the advice in the report; if the agent is not logged in, it says how to log in',
  ),
  agent_login_missing: warning(
    'The agent has no file with a login, and no variable with a key is set. Some logins cannot be seen without asking the agent: only `--try` is sure.',
    'log in as the report says, then run drover doctor --try',
  ),
  agent_cost_unknown: ok(
    'What the agent costs is not known before it starts, so `--max-cost` cannot count it: a run does not choose it as its reviewer.',
    'name a model that has a price, as the report says',
  ),
  agent_disabled: ok('The configuration disables the agent, so drover did not look for it.'),
  agent_not_installed: warning(
    'The program of the agent was not found. Prompts for the agent fail.',
    'install it with the command in the report, choose another with default_backend, or disable it with backends.NAME.enabled',
  ),
  agents_missing: warning(
    'No agent is installed and enabled, so no prompt can run here. With PostgreSQL, this matters only on machines that run prompts (`drover work`, `drover serve` without `--no-work`).',
    `install one, for example with ${findInstallCommand('claude')}, or try drover with --demo`,
  ),
  agent_silent: problem(
    'The agent was started with `--version`, did not answer, and was killed.',
    'start it yourself; an agent that hangs at its start hangs in every prompt',
  ),
  agent_version_unknown: warning(
    'The agent does not report its version. A wrapper script may be the reason.',
    'start it with --version yourself, or install it again',
  ),
  agent_older_than_tried: warning(
    'The agent is older than the version that drover was tested with, and may not know all flags that drover passes.',
    'update the agent',
  ),
  agent_quirk: warning(
    'This version of the agent has a known problem on this machine.',
    'follow the advice in the report; it depends on the agent',
  ),
})

/** With an invalid configuration, agents are searched for under their default names. */
export async function checkAgents(context: CheckContext): Promise<Finding[]> {
  const { runtime, signal } = context
  const { env, isRoot } = runtime
  const read = await context.config
  const config = read.is === 'found' ? read.value.config : mergeLayers([]).config
  const hasTimeout = config.unified_flags.command_timeout_secs > 0
  const options = { env: toAgentEnvironment({ env }, {}), signal }
  const { problem } = await context.sandbox
  const agents = locateAgents({ ...runtime, backends: config.backends })
  const findings = agents.map(async (located) => {
    const { isEnabled, backend } = located
    const versioned = findVersionProgram(located)
    const isInside = worksInside(located, { config, problem })
    const [answer, tried] = await Promise.all([
      isEnabled && versioned !== undefined ? askVersion(versioned, options) : undefined,
      context.tryAgent?.(backend, { isInside }),
    ])
    const facts = { isRoot, env, hasTimeout, isDefault: backend === config.default_backend }
    const login = assessLogin(located, { env, tried, isInside })
    return [...assessAgent(located, answer, facts), ...login, ...assessCost(located, { config, env })]
  })
  return [...assessAll(agents, config), ...(await Promise.all(findings)).flat()]
}

/** Whether a driven run with the settings puts the agent into the sandbox. */
function worksInside(
  { backend, agent }: AgentLocation,
  { config: { drive, sandbox }, problem }: { config: Config; problem: string | undefined },
): boolean {
  const choice = chooseBoundary({
    mode: drive.sandbox,
    approval: drive.approval_mode,
    agents: [{ name: backend, isKnown: agent.boundaryNeeds !== undefined }],
    isWanted: sandbox.mode !== 'off',
    wasInside: false,
    problem,
  })
  return choice.is === 'inside' && choice.agents.length > 0
}

export function assessAll(agents: readonly AgentLocation[], { store }: Pick<Config, 'store'>): Finding[] {
  if (agents.some(({ isEnabled, program }) => isEnabled && program !== undefined)) return []
  const detail = 'no agent is installed, so no prompt can run'
  if (store.url === 'sqlite:') return [AGENT.agents_missing({ detail })]
  const todo = 'install one where prompts run; a machine with "drover serve --no-work" needs none'
  return [AGENT.agents_missing({ detail: `${detail} on this machine`, todo })]
}

type AgentFacts = Omit<QuirkFacts, 'version'> & { isDefault: boolean }

/** `answer` is undefined for an agent that was not asked. */
function assessAgent(located: AgentLocation, answer: VersionAnswer | undefined, facts: AgentFacts): Finding[] {
  const { backend, isEnabled, program, wanted } = located
  if (!isEnabled) return [AGENT.agent_disabled({ detail: `${backend} is disabled` })]
  if (program === undefined) return [assessMissing({ backend, wanted }, facts)]
  const named = `${backend} (${program[0]})`
  if (answer === undefined) return [AGENT.agent_ready({ detail: named })]
  if (answer.is === 'silent') {
    return [
      AGENT.agent_silent({ detail: `${named} did not answer --version within ${answer.waitedMs / 1000} seconds` }),
    ]
  }
  if (answer.is === 'unknown') {
    return [AGENT.agent_version_unknown({ detail: `${named} does not report its version: ${answer.problem}` })]
  }
  return [
    assessVersion(backend, { named, version: answer.version }),
    ...assessQuirks(backend, { ...facts, version: answer.version }),
  ]
}

/** A prompt that was answered or not tells more than a file. */
function assessLogin(
  located: AgentLocation,
  { env, tried, isInside }: { env: Environment; tried: BackendTest | undefined; isInside: boolean },
): Finding[] {
  const { backend, agent, isEnabled, program } = located
  if (tried?.works === true) {
    const where = isInside ? 'inside' : 'outside'
    return [AGENT.agent_answers({ detail: `${describeTest(tried)}, ${where} of the sandbox` })]
  }
  const lacksOne = isEnabled && program !== undefined && lacksLogin(located, env)
  const todo = lacksOne ? `to log in, ${agent.login}` : undefined
  if (tried !== undefined) {
    const isExplained = !lacksOne || tried.error?.includes(agent.login) === true
    const why = isExplained ? '' : '; it has no login that drover can see'
    return [
      AGENT.agent_fails({ detail: `${backend} failed: ${tried.error}${why}`, todo: isExplained ? undefined : todo }),
    ]
  }
  if (!lacksOne) return []
  return [
    AGENT.agent_login_missing({
      detail: `${backend} has no login that drover can see`,
      todo,
    }),
  ]
}

function assessCost(located: AgentLocation, { config, env }: { config: Config; env: Environment }): Finding[] {
  if (!located.isEnabled || located.program === undefined) return []
  const { backend } = located
  const model = modelBefore(located, undefined, { settings: config, env })
  const gap = findCostGap(model, billingOf(located, { settings: config, locate: () => located }))
  if (gap === undefined) return []
  const { why, todo } = describeCostGap(gap, { backend, model })
  return [AGENT.agent_cost_unknown({ detail: `--max-cost cannot count ${backend}: ${why}`, todo })]
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
  return AGENT.agent_not_installed({ detail, todo: `${install}, or ${other}` })
}

function assessVersion(backend: Backend, { named, version }: { named: string; version: string }): Finding {
  if (!isOlderThanTried(backend, version)) return AGENT.agent_ready({ detail: `${named} ${version}` })
  return AGENT.agent_older_than_tried({
    detail: `${named} is ${version}; drover was tested with ${TRIED_WITH[backend]}`,
  })
}

function assessQuirks(backend: Backend, facts: QuirkFacts): Finding[] {
  return findQuirks(backend, facts).map(({ happens, todo }) =>
    AGENT.agent_quirk({ detail: `${backend} ${facts.version}: ${happens}`, todo }),
  )
}
