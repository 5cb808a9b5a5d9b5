/** The policy of an agent inside of a boundary: what it needs, and what the settings and its permission allow. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, sep } from 'node:path'
import type { ChildEnvironment, Environment } from '../../kit/process/child-environment.ts'
import { createPolicy } from '../../sandbox/create-policy.ts'
import { isWithin, type SandboxPolicy, type Stage } from '../../sandbox/sandbox-policy.ts'
import type { AgentCommand, AgentRequest, Program } from '../adapter/agent.ts'
import type { BoundaryNeeds } from '../adapter/boundary-needs.ts'
import type { BoundaryPlan } from '../adapter/boundary-plan.ts'
import { isReadOnly } from '../adapter/permission.ts'

type Facts = { plan: BoundaryPlan; needs: BoundaryNeeds; home: string; stages: readonly Stage[]; argv: Program }

/** Throws a Fault of the sandbox. */
export function toAgentPolicy(request: AgentRequest, { plan, needs, home, stages, argv }: Facts): SandboxPolicy {
  const { settings, worktree, droverHome, programs } = plan
  return createPolicy({
    worktree,
    home,
    droverHome,
    stages,
    // An argument can name the worktree too, and programs are mounted read-only.
    programs: [programs.node, ...argv.flatMap((part) => programPath(part, home))].filter(
      (path) => !isWithin(worktree.root, [path]),
    ),
    hidden: request.closedFiles,
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

/** A package of Node needs the packages beside it, and a script the rest of its package. */
function programPath(part: string, home: string): string[] {
  if (!isAbsolute(part) || !existsSync(part)) return []
  const path = realpathSync.native(part)
  const at = path.indexOf(MODULES)
  if (at >= 0) return [path.slice(0, at + MODULES.length - 1)]
  return [(/\.[cm]?[jt]s$/.test(path) ? packageAround(dirname(path), home) : undefined) ?? path]
}

/** Not the home directory, nor what is around it. */
function packageAround(directory: string, home: string): string | undefined {
  if (isWithin(home, [directory])) return undefined
  return existsSync(join(directory, 'package.json')) ? directory : packageAround(dirname(directory), home)
}

/** The program without links, because a link to it may not exist inside. */
export function toInnerArgv([program, ...args]: Program): Program {
  return [existsSync(program) ? realpathSync.native(program) : program, ...args]
}

/** What the agent needs, and what drover has set for it. A script of the agent may look for Node in PATH. */
export function toInnerEnvironment(
  { env }: Pick<AgentCommand, 'env'>,
  { given, plan, needs }: { given: Environment; plan: BoundaryPlan; needs: BoundaryNeeds },
): { env: ChildEnvironment; names: string[] } {
  const added = Object.keys(env).filter((name) => env[name] !== given[name])
  const path = [env['PATH'] ?? '', dirname(plan.programs.node)].filter((each) => each !== '').join(':')
  return { env: { ...env, PATH: path }, names: [...plan.settings.env, ...needs.env, ...added] }
}
