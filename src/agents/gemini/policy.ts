/** The rules that gemini gets in a file (`--admin-policy`). They count more than those of the user and of the project. Pure. */
import type { AgentRequest } from '../adapter/agent.ts'
import { toExactCommands } from '../adapter/allowed-commands.ts'
import type { Permission } from '../adapter/permission.ts'

/** Gemini approves its own plans when there is no one to ask, and may then do everything, whatever the mode. */
const PLAN_TOOLS = ['enter_plan_mode', 'exit_plan_mode']
const EDIT_TOOLS = ['write_file', 'replace']
const OTHER_TOOLS = ['run_shell_command', 'save_memory']
const WRITING_TOOLS = ['run_shell_command', ...EDIT_TOOLS, 'save_memory']

type Facts = Pick<AgentRequest, 'ignoresProject' | 'isLimited' | 'allowedCommands'> & {
  withoutTools?: boolean
  /** Its MCP servers of drover whose tools it may use without asking. */
  trusted?: readonly string[]
  /** Gemini asks drover over its protocol, and drover refuses. It would not report what its policy denies. */
  canAsk: boolean
}

/** Empty: gemini needs no rules. Without them, its mode decides, and then rules of the user, which must not widen a ceiling. */
export function policyFor(
  permission: Permission,
  { ignoresProject, isLimited, canAsk, allowedCommands, trusted = [], withoutTools }: Facts,
): string {
  const ofTrusted = trusted.map(allowServer)
  if (withoutTools) return [DENY_ALL, ...ofTrusted].join('\n')
  // Rules for the servers of drover come before.
  const ofServers = trusted.length === 0 ? 999 : 998
  const limit = (tools: readonly string[]) => {
    const decision = canAsk ? 'ask_user' : 'deny'
    return isLimited ? [rule(tools, decision), servers(decision, ofServers)] : []
  }
  const noPlans = rule(PLAN_TOOLS, 'deny')
  const rules: Record<Permission, readonly string[]> = {
    'read-only': [rule([...PLAN_TOOLS, ...WRITING_TOOLS], 'deny'), servers('deny', ofServers)],
    ask: [noPlans, ...limit(WRITING_TOOLS)],
    edit: [
      noPlans,
      ...limit(OTHER_TOOLS),
      ...(ignoresProject ? ALLOW_EDITS : []),
      ...toExactCommands({ allowedCommands }).map(allowCommand),
    ],
    everything: ignoresProject ? [noPlans, ALLOW_ALL] : [],
  }
  return [...rules[permission], ...ofTrusted].join('\n')
}

function rule(tools: readonly string[], decision: string): string {
  return `[[rule]]\ntoolName = ${toList(tools)}\ndecision = "${decision}"\npriority = 999\n`
}

/** Gemini compares the pattern with its arguments as JSON, in which a null character ends each field. */
function allowCommand(command: string): string {
  const pattern = `"command":"${command.replace(/[.+]/g, '\\$&')}"[\\x00,}]`
  return `[[rule]]\ntoolName = "run_shell_command"\nargsPattern = ${JSON.stringify(pattern)}\ndecision = "allow"\npriority = 998\n`
}

/** For the tools of all MCP servers. */
function servers(decision: string, priority: number): string {
  return `[[rule]]\ntoolName = "*"\nmcpName = "*"\ndecision = "${decision}"\npriority = ${priority}\n`
}

/** The agent does not run these tools itself, so its mode does not matter. */
function allowServer(name: string): string {
  return `[[rule]]\ntoolName = "*"\nmcpName = "${name}"\ndecision = "allow"\npriority = 999\n`
}

/** The model does not learn of tools that are denied. */
const DENY_ALL = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 998\n'

/** What gemini allows in its mode `yolo`. */
const ALLOW_ALL = '[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 998\nallowRedirection = true\n'

/** What gemini allows in its mode `auto_edit`, with the same check that a file is in the working directory. */
const ALLOW_EDITS = [
  `[[rule]]\ntoolName = ${toList([...EDIT_TOOLS, 'web_fetch'])}\ndecision = "allow"\npriority = 998\n`,
  ...EDIT_TOOLS.map(
    (tool) =>
      `[[safety_checker]]\ntoolName = "${tool}"\npriority = 998\n[safety_checker.checker]\ntype = "in-process"\nname = "allowed-path"\nrequired_context = ["environment"]\n`,
  ),
]

function toList(tools: readonly string[]): string {
  return `[${tools.map((tool) => JSON.stringify(tool)).join(', ')}]`
}
