/** Turns answers of GitHub into what a forge says. Pure. */
import {
  type ForgeCheck,
  type ForgeComment,
  type ForgeIssue,
  type ForgePermission,
  type Labeling,
  PERMISSIONS,
  type PullRequest,
  type Review,
  type ReviewComment,
} from './forge.ts'
import type * as answers from './github-answers.shape.ts'

/** The name of a deleted account on GitHub, as its pages show it. */
const DELETED = 'ghost'

const loginOf = (user: { login: string } | null | undefined) => user?.login ?? DELETED

/** A custom role counts as the permission it is based on. Undefined: the account is no collaborator. */
export function permission(found: answers.PermissionAnswer | undefined): ForgePermission {
  const named = (name: string | undefined) => PERMISSIONS.find((each) => each === name)
  return named(found?.role_name) ?? named(found?.permission) ?? 'none'
}

export function issue(found: answers.LabeledAnswer[number]): ForgeIssue {
  return {
    number: found.number,
    url: found.html_url,
    title: found.title,
    author: loginOf(found.user),
    labels: found.labels.map((each) => (typeof each === 'string' ? each : (each.name ?? ''))),
    createdAt: found.created_at,
  }
}

export function labeling({ event, label, actor, created_at: at }: answers.EventsAnswer[number]): Labeling[] {
  return event === 'labeled' && label !== undefined ? [{ label: label.name, by: loginOf(actor), at }] : []
}

/** The later one of the last new title and the last new text. */
export function lastEdit({ data }: answers.EditAnswer): { by: string; at: string } | undefined {
  const { lastEditedAt: at, editor, timelineItems } = data.repository.issue
  const renamings = timelineItems.nodes.map(({ createdAt, actor }) => ({ by: loginOf(actor), at: createdAt }))
  const edits = at === null ? renamings : [...renamings, { by: loginOf(editor), at }]
  return edits.sort((one, other) => (one.at < other.at ? -1 : 1)).at(-1)
}

export function comment(found: answers.PostedAnswer): ForgeComment {
  return { ...commentFields(found), on: Number(found.issue_url.split('/').at(-1)) }
}

function commentFields(found: Omit<answers.PostedAnswer, 'issue_url'>): Omit<ForgeComment, 'on'> {
  return {
    id: found.id,
    url: found.html_url,
    author: loginOf(found.user),
    body: found.body ?? '',
    createdAt: found.created_at,
    updatedAt: found.updated_at,
  }
}

export function reviewComment(
  found: answers.ReviewCommentsAnswer[number],
  resolved: ReadonlySet<number>,
): ReviewComment {
  const { path, line, original_line: original, in_reply_to_id: thread = found.id } = found
  return {
    ...commentFields(found),
    ...{ path, line: line ?? original ?? undefined, thread, isResolved: resolved.has(thread) },
  }
}

const REVIEW_STATES = ['approved', 'changes_requested', 'commented', 'dismissed', 'pending'] as const

export function review(found: answers.ReviewsAnswer[number]): Review {
  const state = found.state.toLowerCase()
  return {
    id: found.id,
    url: found.html_url,
    author: loginOf(found.user),
    body: found.body ?? '',
    state: REVIEW_STATES.find((each) => each === state) ?? 'commented',
    commit: found.commit_id ?? undefined,
    submittedAt: found.submitted_at ?? '',
  }
}

export function pullRequest(found: answers.PullAnswer): PullRequest {
  const { head, base } = found
  const isMerged = found.merged_at !== null
  return {
    number: found.number,
    url: found.html_url,
    state: isMerged ? 'merged' : found.state === 'open' ? 'open' : 'closed',
    isDraft: found.draft === true,
    title: found.title,
    body: found.body ?? '',
    head: { branch: head.ref, commit: head.sha, repository: head.repo?.full_name },
    base: { branch: base.ref },
    mergeCommit: isMerged ? (found.merge_commit_sha ?? undefined) : undefined,
  }
}

/** Of the protection of a branch and of the rules for it. */
export function requiredChecks({ protection }: answers.BranchAnswer, rules: answers.RulesAnswer): string[] {
  const ofProtection = protection?.required_status_checks?.contexts ?? []
  const ofRules = rules
    .filter(({ type }) => type === 'required_status_checks')
    .flatMap(({ parameters }) => parameters?.required_status_checks ?? [])
  return [...new Set([...ofProtection, ...ofRules.map(({ context }) => context)])]
}

const PASSED = ['success', 'neutral', 'skipped']
const FAILED = ['failure', 'error', 'timed_out', 'startup_failure']

/** If the base requires no check by name, every check counts. */
export function checksOf(
  runs: answers.CheckRunsAnswer['check_runs'],
  statuses: answers.StatusAnswer['statuses'],
  required: readonly string[],
): ForgeCheck[] {
  const isRequired = (name: string) => required.length === 0 || required.includes(name)
  const ofRuns = runs.map((run): ForgeCheck => {
    const { title, summary, text } = run.output
    const isJob = run.app?.slug === 'github-actions'
    return {
      name: run.name,
      state: run.status === 'completed' ? stateOf(run.conclusion ?? '') : 'running',
      isRequired: isRequired(run.name),
      url: run.html_url ?? undefined,
      output: isJob ? { job: run.id } : { text: [title, summary, text].filter((each) => each).join('\n\n') },
    }
  })
  const ofStatuses = statuses.map(
    ({ context, state, description, target_url: url }): ForgeCheck => ({
      name: context,
      state: state === 'pending' ? 'running' : stateOf(state),
      isRequired: isRequired(context),
      url: url ?? undefined,
      output: { text: description ?? '' },
    }),
  )
  return [...ofRuns, ...ofStatuses]
}

function stateOf(conclusion: string): ForgeCheck['state'] {
  if (PASSED.includes(conclusion)) return 'passed'
  return FAILED.includes(conclusion) ? 'failed' : 'waits'
}
