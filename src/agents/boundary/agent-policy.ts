/** The policy of an agent inside of a boundary: what it needs, and what the settings and its permission allow. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, sep } from 'node:path'
import type { ChildEnvironment, Environment } from '../../kit/process/child-environment.ts'
import { findProgram } from '../../kit/process/find-program.ts'
import { createPolicy } from '../../sandbox/create-policy.ts'
import { isWithin, type SandboxPolicy, type Stage } from '../../sandbox/sandbox-policy.ts'
import type { AgentCommand, AgentRequest, Program } from '../adapter/agent.ts'
import type { BoundaryNeeds } from '../adapter/boundary-needs.ts'
import type { BoundaryPlan } from '../adapter/boundary-plan.ts'
import { isReadOnly } from '../adapter/permission.ts'
import { rootsOf } from '../adapter/roots.ts'

type Facts = { plan: BoundaryPlan; needs: BoundaryNeeds; home: string; stages: readonly Stage[]; argv: Program }

/** Throws a Fault of the sandbox. */
export function toAgentPolicy(request: AgentRequest, { plan, needs, home, stages, argv }: Facts): SandboxPolicy {
  const { settings, worktree, droverHome, hidden, programs } = plan
  const others = (needs.programs ?? []).flatMap((name) => findProgram(name, { env: request.env, cwd: home }) ?? [])
  return createPolicy({
    worktree,
    added: request.additionalDirectories,
    home,
    droverHome,
    stages,
    // An argument can name the worktree too, and programs are mounted read-only.
    programs: [
      programs.node,
      ...[...argv, ...others].flatMap((part) => programPath(part, home)),
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
  const { variables = {} } = needs
  return {
    env: { ...env, PATH: path, ...variables },
    names: [...plan.settings.env, ...needs.env, ...added, ...Object.keys(variables)],
  }
}
