/** The report about a run: what was wanted, decided, reported and observed. It certifies nothing. Pure. */
import type { RunVerdict } from '../contract/run-verdict.shape.ts'
import type { RunOutline } from './read-status.ts'

/** What only a driver of the run knows. A part that is missing is left out, or taken from what the host reported. */
export type ReportParts = {
  /** What became of the run. */
  readonly verdict?: RunVerdict
  /** The goal of the first of several rounds. */
  readonly goal?: string
  /** What people asked for in addition, with `--also`, in all rounds, oldest first. */
  readonly also?: readonly string[]
  /** The ordinary issue whose text is the goal. */
  readonly issue?: string
  /** The branch that holds the changes. */
  readonly branch?: string
  /** The folder below the root of the repository in which agents and checks worked. */
  readonly folder?: string
  /** Another machine continued it. */
  readonly moved?: { readonly at: string; readonly from: string; readonly to: string }
  readonly pull_request?: string
  /** How the pull request ended: `merged as …` or `closed`. */
  readonly pull_request_end?: string
  /** What people told agents while they worked, oldest first. */
  readonly messages?: readonly { readonly at: string; readonly by: string; readonly text: string }[]
  /** What people did with the work after the delivery, oldest first. */
  readonly acts?: readonly { readonly at: string; readonly text: string }[]
  /** What was wanted after the delivery, and what became of it. */
  readonly requirements?: readonly { readonly from: string; readonly verdict: string; readonly text: string }[]
  /** The run of the round before. */
  readonly previous_run_id?: string
  /** The files that git shows as changed. */
  readonly changes?: readonly ReportChange[]
  /** Each claim of an agent, and what drover saw of it. */
  readonly evidence?: readonly ReportEvidence[]
  /** What makes checks worth less. */
  readonly flags?: readonly { readonly flag: string; readonly detail: string }[]
  /** The commands that drover ran itself. */
  readonly checks?: readonly ReportCheck[]
  /** No check was given. */
  readonly is_unchecked?: true
  readonly boundary?: ReportBoundary
  /** The MCP servers that the agents could use. */
  readonly mcp_servers?: readonly string[]
  readonly cost?: ReportCost
}

/** What agents, checks and setups reached, and what they were refused, in all rounds up to this one. */
type ReportBoundary = ReportEnforcement & {
  /** Absent: the run has only one. */
  readonly rounds?: readonly number[]
  readonly other_rounds?: readonly (ReportEnforcement & { readonly round: number })[]
  readonly reached: readonly (ReportSeen & { readonly host: string; readonly count: number })[]
  readonly refused: readonly (ReportSeen & { readonly host: string; readonly reason: string; readonly count: number })[]
  /** As commands printed it. */
  readonly unwritable: readonly (ReportSeen & { readonly path: string })[]
  readonly exceeded: readonly (ReportSeen & { readonly limit: string })[]
}

type ReportEnforcement = {
  /** Absent: there was no sandbox. */
  readonly enforced_by?: string
  readonly around?: string
  readonly why_not?: string
}

type ReportSeen = { readonly by: readonly string[]; readonly rounds?: readonly number[] }

export type ReportEvidence = {
  readonly claim: string
  readonly verdict: 'observed' | 'claimed' | 'contradicted'
  /** What was seen, and where. */
  readonly seen: string
}

/** A binary file has no counts. */
export type ReportChange = {
  readonly path: string
  /** The path that it was renamed from. */
  readonly from?: string
  /** Null for a binary file. */
  readonly insertions: number | null
  readonly deletions: number | null
}

export type ReportCheck = {
  readonly command: string
  readonly passed: boolean
  readonly result: string
  /** The last lines that a failed check printed. */
  readonly output?: string
  /** What became of its tests since before the work. Absent if that is not known. */
  readonly tests?: readonly ReportTests[]
}

type ReportTests = {
  readonly change: string
  readonly count: number
  /** The first of them. */
  readonly names: readonly string[]
  readonly is_setback: boolean
  readonly text: string
}

/** Of all rounds up to this one. */
type ReportCost = {
  /** Absent: the run has only one. */
  readonly rounds?: number
  readonly attempts: number
  readonly attempts_with_unknown_usage: number
  readonly tokens: number
  /** As far as it is known. */
  readonly cost_usd?: number
  /** The part of it that no agent reported: tokens at list prices. */
  readonly priced_usd?: number
  /** Attempts that are missing in it. Absent if there is none. */
  readonly unknown_cost_attempts?: number
  readonly working_ms: number
}

type Outcome = NonNullable<RunOutline['actions'][number]['outcome']>
type Review = NonNullable<Outcome['review']>

type Decision = {
  readonly question: string
  /** What a destructive request would destroy. */
  readonly targets: readonly { readonly kind: string; readonly value: string }[]
  readonly answer: string
  readonly confirmed: boolean
  /** A later answer replaced it. */
  readonly superseded: boolean
  readonly at: string
}

export type RunReport = ReportParts & {
  readonly run_id: string
  readonly state: RunOutline['state']
  readonly pause_reason?: string
  readonly started_at: string
  readonly updated_at: string
  readonly goal: string
  /** The pinned issue. */
  readonly source?: { readonly url: string; readonly requirements_revision: string }
  readonly decisions: readonly Decision[]
  /** The files that hosts or agents reported as changed. */
  readonly reported_files: readonly string[]
  readonly evidence: readonly ReportEvidence[]
  readonly review_enabled: boolean
  readonly reviews: readonly Pick<Review, 'result' | 'findings'>[]
  readonly known_issues: readonly string[]
  readonly summary?: string
  readonly actions: { readonly used: number; readonly left: number; readonly at_start: number }
  readonly note: string
}

const NOTE = 'This report repeats what was reported and observed. It certifies nothing.'

export function toReport(run: RunOutline, parts: ReportParts = {}): RunReport {
  const { pinned_source: source, pause_reason, summary, actions } = run
  const outcomes = actions.map(({ outcome }) => outcome).filter((outcome) => outcome !== undefined)
  return {
    run_id: run.id,
    state: run.state,
    ...(pause_reason !== undefined && { pause_reason }),
    started_at: run.created_at,
    updated_at: run.updated_at,
    goal: run.goal,
    ...(source !== undefined && {
      source: { url: source.canonical_url, requirements_revision: source.requirements_revision },
    }),
    decisions: decisionsIn(run),
    reported_files: filesIn(outcomes),
    evidence: outcomes.flatMap(({ implementation }) => (implementation?.activities ?? []).map(toClaim)),
    review_enabled: run.review_enabled,
    reviews: outcomes.flatMap(({ review }) => (review ? [{ result: review.result, findings: review.findings }] : [])),
    known_issues: [...new Set([...(run.known_issues ?? []), ...(run.uncertainties ?? [])])],
    ...(summary !== undefined && { summary }),
    actions: { used: actions.length, left: run.remaining_budget, at_start: run.initial_budget },
    ...parts,
    note: NOTE,
  }
}

/** Each question with its answer. */
function decisionsIn({ actions, answers = [] }: RunOutline): Decision[] {
  return answers.map(({ action_id, text, confirm_destructive, active, at }) => {
    const asked = actions.find(({ action }) => action.action_id === action_id)?.outcome?.pause
    const request = asked?.destructive_request
    return {
      question: asked?.question ?? '',
      targets: request?.targets ?? [],
      answer: text,
      confirmed: confirm_destructive,
      superseded: !active && !request && !confirm_destructive,
      at,
    }
  })
}

function filesIn(outcomes: readonly Outcome[]): string[] {
  const reported = new Set(outcomes.flatMap(({ implementation }) => implementation?.files_changed ?? []))
  return [...reported].filter((path) => path !== '')
}

/** Nothing was seen of what a host only reports. */
function toClaim(activity: { kind: string; command: string; exit_code: number }): ReportEvidence {
  const { kind, command, exit_code } = activity
  return { claim: `${kind}: ${command} exited with ${exit_code}`, verdict: 'claimed', seen: 'the host says so' }
}
