/** Opens the boundary that an agent is started in. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, sep } from 'node:path'
import type { Fault } from '../../kit/fault.ts'
import type { ChildEnvironment, Environment } from '../../kit/process/child-environment.ts'
import { findProgram } from '../../kit/process/find-program.ts'
import type { ProcessExit } from '../../kit/process/process.ts'
import type { BoundaryEvent } from '../../sandbox/boundary-report.ts'
import { createCaches, createPolicy } from '../../sandbox/create-policy.ts'
import { sandboxUnavailable } from '../../sandbox/faults.ts'
import { explainFailure } from '../../sandbox/find-programs.ts'
import { type HostRule, parseTarget, refusalOf } from '../../sandbox/host-rules.ts'
import { type Boundary, openBoundary } from '../../sandbox/open-boundary.ts'
import { isWithin, type SandboxPolicy, type Stage } from '../../sandbox/sandbox-policy.ts'
import type { AgentCommand, AgentRequest, Program } from '../adapter/agent.ts'
import { type BoundaryNeeds, type BoundaryPlan, NO_NEEDS } from '../adapter/boundary-needs.ts'
import { isReadOnly } from '../adapter/permission.ts'
import { rootsOf, userHome } from '../adapter/surroundings.ts'
import { type StagedHome, stageHome } from './stage-home.ts'

export type AgentBoundary = {
  /** For `startProcess`. */
  command: Boundary['command']
  /** Call it before each turn but the first. */
  beginTurn(): void
  /** Keeps a login that the agent has refreshed, and what it has committed. Call it after each turn. A limit that it exceeds is an event. */
  endTurn(): Promise<void>
  /**
   * The hosts that it is refused, if its model service must be one of them: its settings name it, or it has tried no others.
   * Undefined if the boundary is not why the service does not answer.
   */
  cutOff(): readonly string[] | undefined
  /** Why the agent was not started; undefined if it was. */
  failureOf(exit: Pick<ProcessExit, 'stderrTail'>): Fault | undefined
  /** Call it when nothing runs inside any more. */
  close(): Promise<void>
}

/** Enough to find the one that is missing. */
const MOST_REFUSED = 5

/** Throws a Fault of the sandbox. Call it when the scratch directory is written. */
export async function openAgentBoundary(
  request: AgentRequest,
  command: Pick<AgentCommand, 'argv' | 'env'> & { plan: BoundaryPlan },
  onEvent: (event: BoundaryEvent) => void,
): Promise<AgentBoundary> {
  const { agent, env: given, workdir } = request
  const { plan } = command
  const needs = agent.boundaryNeeds?.({ env: given, workdir }) ?? NO_NEEDS
  const home = realpathSync.native(userHome(given))
  const directory = realpathSync.native(mkdtempSync(join(tmpdir(), 'drover-home-')))
  let staged: StagedHome | undefined
  let hasTriedOthers = false
  const refused = new Set<string>()
  const note = (event: BoundaryEvent) => {
    if (event.is === 'refused' && refused.size < MOST_REFUSED) refused.add(`${event.host}:${event.port}`)
    hasTriedOthers ||= event.is === 'reached' || event.is === 'failed'
    onEvent(event)
  }
  const remove = () => {
    staged?.close()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const own = stageHome(needs, { home, directory })
    staged = own
    const argv = toInnerArgv(command.argv)
    const caches = createCaches(plan.worktree, { droverHome: plan.droverHome, home, names: plan.caches })
    const stages = [...own.stages, ...caches]
    const policy = toAgentPolicy(request, { plan, needs, home, stages, argv })
    const { env, names } = toInnerEnvironment(command, { given, plan, needs })
    const { programs } = plan
    const inside = { ...policy, env: names }
    const unlisted = (needs.services ?? []).flatMap((address) => unlistedHost(address, policy.hosts))
    const boundary = await openBoundary({ argv, cwd: workdir, env, policy: inside, programs, onEvent: note })
    return {
      command: boundary.command,
      beginTurn: boundary.bringIn,
      async endTurn() {
        own.endTurn()
        await boundary.settle()
      },
      cutOff: () => (unlisted.length > 0 ? unlisted : hasTriedOthers ? undefined : [...refused]),
      failureOf: ({ stderrTail }) =>
        boundary.hasStarted() ? undefined : sandboxUnavailable({ problem: explainFailure(stderrTail) }),
      async close() {
        own.endTurn()
        await boundary.close()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

/** A port of this machine that is not listed is closed inside, so the proxy sees no request for it. */
function unlistedHost(address: string, rules: readonly HostRule[]): string[] {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const target = url && parseTarget(`${url.hostname}:${url.port || (url.protocol === 'http:' ? 80 : 443)}`)
  if (target === undefined || refusalOf(target, rules) === undefined) return []
  return [`${target.host}:${target.port}`]
}

type Facts = { plan: BoundaryPlan; needs: BoundaryNeeds; home: string; stages: readonly Stage[]; argv: Program }

/**
 * The policy of an agent inside of a boundary: what it needs, and what the settings and its permission allow. Throws a Fault
 * of the sandbox.
 */
function toAgentPolicy(request: AgentRequest, { plan, needs, home, stages, argv }: Facts): SandboxPolicy {
  const { settings, worktree, isMadeByDrover, needsAllRepositories, droverHome, hidden, programs } = plan
  const others = (needs.programs ?? []).flatMap((name) => findProgram(name, { env: request.env, cwd: home }) ?? [])
  return createPolicy({
    ...{ worktree, isMadeByDrover, needsAllRepositories },
    added: request.additionalDirectories,
    home,
    droverHome,
    stages,
    // Another argument, such as a model, may come from a caller who must not see what it names. It can name the worktree too, and programs are mounted read-only.
    programs: [
      programs.node,
      ...[argv[0], ...request.program.slice(1), ...plan.arguments, ...others].flatMap((part) =>
        programPath(part, home),
      ),
      // PATH has a link to it there.
      ...others.map(dirname),
    ].filter(
      (path) => ![...rootsOf({ ...request, workdir: worktree.root }), home].some((each) => isWithin(each, [path])),
    ),
    hidden: [...hidden, ...request.closedFiles],
    // The system enforces then what the agent was told.
    isReadOnly: isReadOnly(request),
    settings: {
      ...settings,
      hosts: [...settings.hosts, ...needs.hosts],
      read: [...settings.read, ...needs.read],
      write: [
        ...settings.write,
        ...needs.kept,
        ...(existsSync(request.scratchDirectory) ? [request.scratchDirectory] : []),
      ],
    },
  })
}

const MODULES = `${sep}node_modules${sep}`

/** A package of Node needs the packages beside it, a script the rest of its package, and one of Python its environment. */
function programPath(part: string, home: string): string[] {
  if (!isAbsolute(part) || !existsSync(part)) return []
  const path = realpathSync.native(part)
  const at = path.indexOf(MODULES)
  if (at >= 0) return [path.slice(0, at + MODULES.length - 1)]
  if (/\.[cm]?[jt]s$/.test(path)) return [packageAround(dirname(path), home) ?? path]
  return existsSync(join(path, '../../pyvenv.cfg')) ? pythonPaths(join(path, '../..')) : [path]
}

/** The environment, and the installation of its interpreter. */
function pythonPaths(environment: string): string[] {
  const interpreter = join(environment, 'bin', 'python')
  return [environment, ...(existsSync(interpreter) ? [join(realpathSync.native(interpreter), '../..')] : [])]
}

/** Not the home directory, nor what is around it. */
function packageAround(directory: string, home: string): string | undefined {
  if (isWithin(home, [directory])) return undefined
  return existsSync(join(directory, 'package.json')) ? directory : packageAround(dirname(directory), home)
}

/** The program without links, because a link to it may not exist inside. */
function toInnerArgv([program, ...args]: Program): Program {
  return [existsSync(program) ? realpathSync.native(program) : program, ...args]
}

/** What the agent needs, and what drover has set for it. A script of the agent may look for Node in PATH. */
function toInnerEnvironment(
  { env }: Pick<AgentCommand, 'env'>,
  { given, plan, needs }: { given: Environment; plan: BoundaryPlan; needs: BoundaryNeeds },
): { env: ChildEnvironment; names: string[] } {
  const added = Object.keys(env).filter((name) => env[name] !== given[name])
  const path = [env['PATH'] ?? '', dirname(plan.programs.node)].filter((each) => each !== '').join(':')
  const { variables = {} } = needs
  return {
    env: { ...env, PATH: path, ...variables },
    names: [...plan.settings.env, ...needs.env, ...added, ...Object.keys(variables)],
  }
}
