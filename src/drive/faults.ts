/** Faults of driving a run. */
import { defineFault } from '../kit/fault.ts'
import { listSome } from '../kit/wording.ts'

export const driveCapUnsupported = defineFault('drive_cap_unsupported', 'usage', {
  when: "A limit cannot be enforced, because one of the run's agents does not report its usage, or because the price of its model is not known.",
  message: (d: { flag: string; backend: string; why: string; todo: string }) =>
    d.flag === '--max-cost'
      ? `--max-cost (over HTTP: max_cost_usd) cannot be enforced: what ${d.backend} costs is not known, because ${d.why}; ${d.todo}`
      : `${d.flag} (over HTTP: max_tokens) cannot be enforced: ${d.why}; ${d.todo}`,
})

export const driveSandboxMissing = defineFault('drive_sandbox_missing', 'unavailable', {
  when: 'A run must be driven in a sandbox (`--sandbox`, `--approval sandboxed`, `drive.sandbox` or `sandbox.mode` is `required`, the key requires it, or the run was begun in one), and there is none. No agent was started.',
  message: (d: { problem: string }) =>
    `the run needs a sandbox: ${d.problem}; "drover sandbox check" shows what is missing; --no-sandbox --approval auto drives without one`,
})

export const driveSandboxRequired = defineFault('drive_sandbox_required', 'usage', {
  when: 'A run must not be driven without a sandbox (`--no-sandbox`), because a setting or the key requires one.',
  message: (d: { by: string }) => `--no-sandbox is not allowed here: ${d.by} requires a sandbox`,
})

export const driveDeliveryFailed = defineFault('drive_delivery_failed', 'unavailable', {
  when: 'The run has ended, but its branch could not be pushed or the pull request could not be opened.',
  message: (d: { problem: string }) =>
    `the work is committed but not delivered: ${d.problem}; fix that and drive the run again`,
})

export const driveFolderMissing = defineFault('drive_folder_missing', 'usage', {
  when: 'The command was given in a folder that is not part of the last commit, so the new worktree does not have it.',
  message: (d: { folder: string }) =>
    `the folder ${d.folder} is not part of the last commit; commit it, or start in the root of the repository`,
})

export const driveProgramMissing = defineFault('drive_program_missing', 'usage', {
  when: 'The program or the npm script of a check or of the first setup command does not exist. Nothing was created, and no agent was started.',
  message: (d: { command: string; problem: string }) => `${JSON.stringify(d.command)} cannot run: ${d.problem}`,
})

export const issueWithoutRepository = defineFault('issue_without_repository', 'usage', {
  when: 'Issues were given by a number or a label, but the clone has no remote `origin` on github.com.',
  message: (d: { issue: string }) =>
    `${d.issue} needs a clone whose remote origin is on github.com; give the full address of the issue`,
})

export const issueNotConfirmed = defineFault('issue_not_confirmed', 'usage', {
  when: "The given issue does not have drover's marker, and no one confirmed that its text should be the goal.",
  message: (d: { url: string }) =>
    `${d.url} is an ordinary issue; pass --as-goal (over HTTP: as_goal) to use its title and text as the goal`,
})

export const driveLabelMissing = defineFault('drive_label_missing', 'unavailable', {
  when: 'The setting `work.required_labels` requires a label for the repository, and no worker that drives runs there has it.',
  message: (d: { repository: string; label: string }) =>
    `no worker that drives runs in ${d.repository} has the label ${d.label}; start drover work --label ${d.label} on a machine with the repository`,
})

export const driveRepositoryNotNamed = defineFault('drive_repository_not_named', 'invalid', {
  when: 'A client asks to drive a run, or to compare in worktrees, in a repository that `drive.repositories` does not list.',
  message: (d: { repository: string | undefined; machines?: 'all' }) =>
    `clients may not start or change runs, or compare in worktrees, in ${d.repository === undefined ? 'any repository' : JSON.stringify(d.repository)}; the operator must add the root of ${d.repository === undefined ? 'a' : 'the'} repository to the setting drive.repositories${d.machines === undefined ? ', and restart the server' : ' on a machine that has it, and restart drover work there'}`,
})

export const driveRepositoryRequired = defineFault('drive_repository_required', 'invalid', {
  when: 'A run was requested without a repository, and `drive.repositories` names several.',
  message: (_: Record<never, never>) =>
    'name the repository; GET /api/v1/runs lists those in which runs can be started',
})

export const driveGoalConflict = defineFault('drive_goal_conflict', 'invalid', {
  when: 'A request to start a run must have exactly one of `goal`, `issue` and `issue_number`, but has none or more than one.',
  message: (_: Record<never, never>) => 'name exactly one of goal, issue and issue_number',
})

export const driveCheckNotAllowed = defineFault('drive_check_not_allowed', 'invalid', {
  when: 'A client names a check that neither `drive.checks` nor the settings of the repository list.',
  message: (d: { command: string }) =>
    `the check ${JSON.stringify(d.command)} is neither in the setting drive.checks nor saved for the repository; a client can only choose from those, because checks run on the server`,
})

export const driveChecksRequired = defineFault('drive_checks_required', 'unauthorized', {
  when: 'A client names checks without all of `drive.checks`, and `drive.require_checks` is true. HTTP status 403.',
  message: (d: { commands: readonly string[] }) =>
    `drive.require_checks is true, and these checks are missing: ${listSome(d.commands, d.commands.length)}; leave checks out of the request, and all of them run`,
})

export const driveDeliveryNotAllowed = defineFault('drive_delivery_not_allowed', 'invalid', {
  when: 'A client asks for a pull request, but `drive.deliver` is not `pr`.',
  message: (_: Record<never, never>) =>
    "clients may not open pull requests with the server's credentials; the operator must set drive.deliver to pr",
})

export const driveIssueNotAllowed = defineFault('drive_issue_not_allowed', 'invalid', {
  when: 'A client names an issue that does not belong to the repository that the run works in.',
  message: (d: { url: string }) =>
    `${d.url} does not belong to this repository's origin; clients can only use issues from that repository`,
})

export const driveLimitReached = defineFault('drive_limit_reached', 'rate_limited', {
  when: 'The server is already driving as many runs as `drive.max_runs` allows.',
  message: (d: { limit: number }) =>
    `the server is already driving ${d.limit} runs, the most that drive.max_runs allows; try again when one has ended`,
})

export const drivenRunNotFound = defineFault('driven_run_not_found', 'not_found', {
  when: 'There is no driven run with that id, or the API key may not see it.',
  message: (d: { id: string }) =>
    `no driven run ${JSON.stringify(d.id)}; GET /api/v1/runs lists them (in a program: drover.runs.list())`,
})

export const drivenRunAmbiguous = defineFault('driven_run_ambiguous', 'conflict', {
  when: 'Several ids of driven runs begin with the given characters.',
  message: (d: { id: string }) => `several run ids begin with ${d.id}; give more characters`,
})

export const drivenRunWaits = defineFault('driven_run_waits', 'conflict', {
  when: 'A run cannot be resumed because it is waiting for an answer or a confirmation, or because the process that drives it is about to exit.',
  message: (d: { id: string; choices: readonly string[] }) =>
    `the run ${d.id} cannot be resumed now; ${d.choices.length === 0 ? 'its driver is about to exit; try again after that' : `available actions: ${d.choices.join(', ')}`}`,
})

export const drivenRunOver = defineFault('driven_run_over', 'conflict', {
  when: 'A request would change a run that has ended, or that continues as another run.',
  message: (d: { id: string; next: string | undefined }) =>
    d.next === undefined
      ? `the run ${d.id} has ended; start a new one`
      : `the run ${d.id} continues as the run ${d.next}; use that id`,
})

export const driveOptionsRefused = defineFault('drive_options_refused', 'conflict', {
  when: 'A command names options for a run that a server drives, and an agent or a check works. Nothing was changed.',
  message: (d: { run_id: string }) =>
    `the run ${d.run_id} works in your server with its own options; to drive it with others, run "drover stop ${d.run_id}" first, then repeat the command`,
})

export const drivenRunAsksNothing = defineFault('driven_run_asks_nothing', 'conflict', {
  when: 'An answer was given to a driven run that waits for none, for example because it is delivered.',
  message: (d: { run_id: string; line: string; command: string }) =>
    `the run ${d.run_id} waits for no answer: ${d.line} (next: ${d.command})`,
})

export const driveNotPermitted = defineFault('drive_not_permitted', 'unauthorized', {
  when: 'The API key that started a run is no longer valid, so a server does not continue it.',
  message: (d: { key: string | undefined }) =>
    `${d.key === undefined ? 'the run was started without an API key, which this server requires' : `the API key ${d.key} that started the run is no longer valid`}; the user running the server can continue it on the command line`,
})

export const driveOfAnother = defineFault('drive_of_another', 'invalid', {
  when: 'A key with a limit on what its agents may do asks to continue a run that another key, or the user, started without that limit.',
  message: (d: { setting: string }) =>
    `${d.setting} limits what this key may ask for, so it cannot continue a run that was started without that limit`,
})

export const drivenRunInPlace = defineFault('driven_run_in_place', 'conflict', {
  when: "The changes on a run's branch were requested, but the run works in place and has no branch.",
  message: (d: { id: string }) => `the run ${d.id} works in place and has no branch; use git diff in its repository`,
})

export const driveMachineGone = defineFault('drive_machine_gone', 'unavailable', {
  when: 'With PostgreSQL, no worker is running on the machine that the run is on. Nothing was changed.',
  message: (d: { machine: string }) =>
    `no worker is running on ${d.machine}, which has the run, so nothing was changed; start drover work there`,
})

export const driveAnswerLost = defineFault('drive_answer_lost', 'unavailable', {
  when: 'With PostgreSQL, the worker that was handling a request about a run stopped before it responded.',
  message: (d: { machine: string }) =>
    `the worker on ${d.machine} stopped while handling the request, which may have taken effect; look at the run before you send it again`,
})

export const driveNotAfter = defineFault('drive_not_after', 'conflict', {
  when: 'A run cannot start on the branch of the run that `--after` names.',
  message: (d: { run_id: string; problem: string }) =>
    `the run cannot start after ${d.run_id}: ${d.problem}; deliver that run first, or start a run without --after`,
})

export const runNotQueued = defineFault('run_not_queued', 'conflict', {
  when: 'A run that does not wait in the queue was to be moved, or another one before it.',
  message: (d: { id: string }) => `the run ${d.id} does not wait in the queue; "drover drive --queue" shows the queue`,
})

export const runQueueFull = defineFault('run_queue_full', 'rate_limited', {
  when: 'The clients of a server have queued too many runs.',
  message: (d: { limit: number }) => `${d.limit} runs are queued already; wait until some of them have started`,
})

export const driveBranchTaken = defineFault('drive_branch_taken', 'conflict', {
  when: 'Another person pushed to the branch of a driven run, so drover did not push.',
  message: (d: { branch: string; run_id: string }) =>
    `another person pushed to ${d.branch}, so drover did not push; "drover drive ${d.run_id} --take-over" continues on top of that`,
})

export const driveBranchDiverged = defineFault('drive_branch_diverged', 'conflict', {
  when: 'A branch that another person pushed to cannot be taken over, because it has a commit here that was never pushed.',
  message: (d: { branch: string; commit: string }) =>
    `${d.branch} has the commit ${d.commit}, which was never pushed; merge it with the branch of origin yourself, and push that`,
})

export const driveAlsoInvalid = defineFault('drive_also_invalid', 'usage', {
  when: 'What a delivered run has to do in addition is empty, too long, or too much for one round.',
  message: (d: { problem: string }) =>
    `${d.problem}; say more in the pull request, or start a new run with "drover drive GOAL"`,
})

export const drivePullRequestOver = defineFault('drive_pull_request_over', 'conflict', {
  when: 'The pull request of a driven run was merged or closed while a round worked for it, so drover did not push.',
  message: (d: { url: string; state: string }) => `${d.url} was ${d.state}, so drover did not push`,
})

export const driveNothingToFollow = defineFault('drive_nothing_to_follow', 'conflict', {
  when: 'A run was to be followed or continued after its delivery, and that is not possible.',
  message: (d: { problem: string }) => `${d.problem}; start a new run with "drover drive GOAL --deliver pr --follow"`,
})

export const issueEdited = defineFault('issue_edited', 'conflict', {
  when: 'The title or the text of an issue was edited after a person had asked for its run, by someone who may not ask.',
  message: (d: { url: string }) => `${d.url} was edited after it was asked for; read it again first`,
})

export const runDiscarded = defineFault('run_discarded', 'conflict', {
  when: 'Something was to be done with a run that was discarded.',
  message: (d: { run_id: string }) =>
    `the run ${d.run_id} was discarded; "drover discard ${d.run_id} --undo" brings it back`,
})
