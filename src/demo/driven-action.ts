/** The demo agent's part in `drover drive`: it recognizes the prompt of an action and reports an outcome. */

/** The file that the demo agent writes where an agent is expected to change something. Pure. */
type DemoFile = {
  path: string
  content: string
  /** What is added instead if the file is there: a further attempt is not told the goal again. */
  addition?: string
}

const FILE = 'drover-demo.md'

export function planFile(goal: string, action?: string): DemoFile {
  const quoted = goal.trim().replace(/^/gm, '> ')
  // Two runs with the same goal change something both.
  const what = action === undefined ? 'this file' : `this file for action ${action}`
  return { path: FILE, content: `${HEAD}${what}. It calls no model. The goal was:\n\n${quoted}\n` }
}

const HEAD = '# Demo\n\nThe demo agent of drover wrote '

function planAddition(action: string): DemoFile {
  const said = `for action ${action} again`
  return { path: FILE, content: `${HEAD}this file ${said}. It calls no model.\n`, addition: `\nWritten ${said}.\n` }
}

export type DrivenAction = {
  kind: string
  id: string
  /** Undefined if the prompt does not say it. */
  goal: string | undefined
  /** A file that the agent really writes, in its working directory. */
  file?: DemoFile
  text: string
}

const FIRST_LINE = /^drover action: (orient|clarify|implement|review|summarize) (\S+)\n/

/** Undefined if the prompt is not one of an action. */
export function planAction(prompt: string): DrivenAction | undefined {
  const [, kind, id] = FIRST_LINE.exec(prompt) ?? []
  if (kind === undefined || id === undefined) return undefined
  // The goal of an issue is between two lines that mark it as data.
  const goal = /\n## Goal\n\n(?:<<<data .*\n)?([\s\S]*?)\n+(?:>>>data .*\n+)?## This action\n/.exec(prompt)?.[1]
  const isFirst = kind === 'orient' && !prompt.includes('A person has answered.')
  const isAsking = isFirst && /\bask me\b/i.test(goal ?? '')
  const outcome = { ...frame(kind, id), ...(isAsking ? QUESTION : REPORTS[kind]) }
  const greeting = isFirst ? "This is drover's built-in demo agent. No model is called.\n\n" : ''
  const text = `${greeting}\`\`\`drover-outcome\n${JSON.stringify(outcome, null, 2)}\n\`\`\`\n`
  const file = goal === undefined ? planAddition(id) : planFile(goal, id)
  return { kind, id, goal, text, ...(kind === 'implement' && { file }) }
}

function frame(kind: string, id: string): object {
  return {
    contract_version: 2,
    action_id: id,
    action_kind: kind,
    status: 'completed',
    summary: 'The demo agent did nothing: it calls no model.',
    observations: [],
    known_issues: [],
    suggested_actions: [],
    pause: null,
    implementation: null,
    review: null,
  }
}

/** A goal that says "ask me" gets one question. */
const QUESTION = {
  status: 'needs_input',
  summary: 'The demo agent asks because the goal says so.',
  pause: {
    reason: 'decision_required',
    question: 'The goal says to ask you first. What would you like?',
    destructive_request: null,
  },
}

/** A claim that nothing shows, so that a demo has one: no command ran. */
const UNTRUE = { kind: 'test', command: 'make test', exit_code: 0, summary: 'The demo agent claims this. No test ran.' }

const REPORTS: Readonly<Record<string, object>> = {
  orient: {
    summary: 'The demo agent looked at nothing: it calls no model.',
    suggested_actions: [{ kind: 'implement', brief: `Write the goal into ${FILE}.` }],
  },
  implement: {
    summary: `The demo agent wrote the goal into ${FILE}.`,
    implementation: { result: 'applied', files_changed: [FILE], activities: [UNTRUE], uncertainties: [], attempts: 1 },
  },
  review: {
    summary: 'The demo agent reviewed nothing: it calls no model.',
    review: { result: 'no_findings_reported', findings: [], uncertainties: [] },
  },
}
