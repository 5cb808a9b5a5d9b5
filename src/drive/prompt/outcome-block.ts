/** The outcome in the answer of an agent: how the prompt asks for it, and how it is found. Pure. */
import type { Action } from '../../contract/action.shape.ts'
import { CONTRACT_VERSION } from '../../contract/limits.ts'

type Kind = Action['kind']

/** The fields that differ from kind to kind, as an example. */
const EXAMPLES: Readonly<Record<Kind, object>> = {
  orient: { suggested_actions: [{ kind: 'implement', brief: 'What to do next, and how to check it.' }] },
  clarify: { suggested_actions: [{ kind: 'implement', brief: 'What to do next, and how to check it.' }] },
  implement: {
    implementation: {
      result: 'applied',
      files_changed: ['src/example.ts'],
      activities: [{ kind: 'test', command: 'npm test', exit_code: 0, summary: 'What it showed.' }],
      uncertainties: [],
      attempts: 1,
    },
  },
  review: {
    review: {
      result: 'findings_reported',
      findings: [{ location: 'src/example.ts:12', summary: 'The finding.', detail: 'Why it matters.' }],
      uncertainties: [],
    },
  },
  summarize: {},
}

const ASK =
  '`"status": "needs_input"` with `"pause": {"reason": "decision_required", "question": "…", "destructive_request": null}`'

/** What may differ from the example. */
const VARIANTS: Readonly<Record<Kind, readonly string[]>> = {
  orient: [
    '`status`: `completed`, `partial`, `error` or `needs_input`.',
    '`suggested_actions`: at most one, of the kind `clarify`, `implement` or `summarize`; none if you need input.',
    `To ask a person one question: ${ASK}. If a tool, an account or a network is missing: the reason \`environment_unavailable\`.`,
  ],
  clarify: [
    '`status`: `completed`, `error` or `needs_input`.',
    '`suggested_actions`: at most one, of the kind `clarify`, `implement` or `summarize`; none if you need input.',
    `To ask a person one question: ${ASK}.`,
  ],
  implement: [
    '`status` and `implementation.result` go together: `completed` with `applied` or `not_needed`, `partial` with `partial`, `error` with `unable`. `suggested_actions` is empty.',
    '`files_changed`: every file that you changed, created or deleted, relative to the root of the worktree.',
    '`activities`: every test, type check, build or lint that you really ran: `kind` (`test`, `typecheck`, `build`, `lint`), the exact `command`, its `exit_code`, a `summary`. One that did not start is not an activity.',
    `To ask a person one question: ${ASK} and \`"implementation": null\`.`,
    'For something that cannot be undone: the reason `destructive_confirmation_required` with `destructive_request`: `request_id` (a new lowercase UUID), `targets` (each a `kind` of `path`, `git_ref`, `external_resource`, `data_domain` and a `value`, sorted by kind, then value), `impact`, and `scope_sha256`: `sha256:` and the SHA-256 of `{"impact":…,"request_id":…,"scope_version":1,"targets":[{"kind":…,"value":…}]}` without white space.',
  ],
  review: [
    '`status` and `review.result` go together: `completed` with `no_findings_reported` or `findings_reported`, `partial` with `inconclusive`, `error` with `error`. You cannot ask for input.',
    'Without findings, `findings` is `[]`.',
  ],
  summarize: ['`status`: `completed` or `error`. `suggested_actions` is empty.'],
}

/** An outcome of this kind that is valid. */
export function exampleOutcome({ action_id, kind }: Pick<Action, 'action_id' | 'kind'>): object {
  return {
    contract_version: CONTRACT_VERSION,
    action_id,
    action_kind: kind,
    status: 'completed',
    summary: 'What you did and found.',
    observations: ['A fact.'],
    known_issues: [],
    suggested_actions: [],
    pause: null,
    implementation: null,
    review: null,
    ...EXAMPLES[kind],
  }
}

/** Tells the agent how to report. */
export function describeOutcome(action: Pick<Action, 'action_id' | 'kind'>): string {
  return [
    `End your answer with one code block named \`${BLOCK_NAME}\` that holds the outcome as JSON, in this form:`,
    '',
    `\`\`\`${BLOCK_NAME}`,
    JSON.stringify(exampleOutcome(action), null, 2),
    '```',
    '',
    'All fields are always there, and no others. `observations`, `known_issues` and `uncertainties` are lists of texts.',
    ...VARIANTS[action.kind].map((line) => `- ${line}`),
  ].join('\n')
}

/** Finds the outcome in the answer of an agent: its last code block named `drover-outcome`. Pure. */
export const BLOCK_NAME = 'drover-outcome'

type FoundBlock = { readonly text: string } | { readonly problem: string }

const OPENING = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*?)[ \t]*$/

type Block = { readonly name: string; readonly text: string }

/** A block that is quoted in another block is not an outcome. */
export function findOutcomeBlock(answer: string): FoundBlock {
  const found = findBlocks(answer).findLast(({ name }) => name === BLOCK_NAME)
  if (found !== undefined) return { text: found.text }
  const isNested = answer.split('\n').some((line) => OPENING.exec(line.trimEnd())?.[2] === BLOCK_NAME)
  return {
    problem: isNested
      ? `the ${BLOCK_NAME} block is inside another code block; close that block before it`
      : `the answer has no code block named ${BLOCK_NAME}`,
  }
}

/** As in CommonMark, a block ends with a fence of the same character that is at least as long, or with the text. */
function findBlocks(answer: string): Block[] {
  const blocks: Block[] = []
  let open: { fence: string; name: string; lines: string[] } | undefined
  for (const line of answer.split(/\r?\n/)) {
    if (open === undefined) {
      const [, fence, name = ''] = OPENING.exec(line) ?? []
      if (fence !== undefined) open = { fence, name, lines: [] }
    } else if (closes(line, open.fence)) {
      blocks.push({ name: open.name, text: open.lines.join('\n') })
      open = undefined
    } else open.lines.push(line)
  }
  return open === undefined ? blocks : [...blocks, { name: open.name, text: open.lines.join('\n') }]
}

function closes(line: string, fence: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
  return found !== undefined && found[0] === fence[0] && found.length >= fence.length
}
